"""The workbench: Textual screens over one ``ReviewSession`` of the core, which holds every rule of reviewing.

``app`` starts it; ``home`` and ``review`` are its two screens, ``page`` shows help and figures. ``review`` only routes:
``layout`` says where its parts lie, ``action_handlers`` carries out actions, ``panes`` moves the texts, ``dialogs`` are
the short exchanges of the last rows, ``last_rows`` takes a typed line, and the ``*_rows`` modules word what is drawn.
``terminal_output`` sends the cells that changed to the terminal.
"""
