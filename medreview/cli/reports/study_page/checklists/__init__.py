"""Checklists of reporting guidelines, filled from what a study holds: a TOML file for each, and what fills its items.

Titles of items are in words of our own; each file names the source, whose words count.
"""
