"""The workbench: Textual screens over one ``ReviewSession`` of the core, which holds every rule of reviewing.

``app`` starts it; ``home`` and ``review`` are its two screens, ``page`` shows help and figures. ``review`` only routes:
``arrangement`` says where its parts lie, ``acts`` carries out actions, ``reading`` moves the texts, ``steps`` are the
short exchanges of the last rows, and the ``*_rows`` modules word what is drawn.
"""
