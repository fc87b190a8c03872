"""The commands, those of one topic in one file; no file needs another one."""
