"""The commands, one per file, each named like the command (``import_`` because ``import`` is a word of Python)."""
