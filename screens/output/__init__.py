"""What goes to the terminal: only the cells that changed.

``rows_compositor`` the rows of widgets that changed; ``cells`` the screen as it is wanted; ``pens`` from one style to
the next; ``cursor`` from one cell to the next; ``scrolling`` rows that moved together; ``differ`` the bytes that make
the screen that was sent into the one that is wanted; ``pacing`` when the terminal is far enough for them;
``output_app`` puts them between Textual and the terminal.
"""
