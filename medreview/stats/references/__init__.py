"""Figures on references: what those of the responses turned out to be, by model and origin, and who was asked.

``found_references`` reads them, ``reference_report`` is what ``stats``, ``urls``, ``citations`` and the report say;
``accused_references`` are those that the rules speak against, one by one, ``other_work_support`` is support by the page
of another work than the one named.
"""
