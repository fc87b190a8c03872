"""Formats of files of works: what stands in them, read into records."""
