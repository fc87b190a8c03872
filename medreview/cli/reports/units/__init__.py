"""Figures of the units of review that are no statements, as parts of a report: a file for each family of kinds."""
