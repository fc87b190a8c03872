"""What goes to the terminal: only the cells that changed.

``cells`` has the screen as it is wanted; ``differ`` the bytes that make the screen that was sent into it; ``pacing``
when the terminal is far enough for them; ``output_app`` puts them between Textual and the terminal.
"""
