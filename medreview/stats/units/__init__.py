"""Figures of the units of review that are no statements: one file for each family of kinds.

``scales`` says on which labels opinions are compared, ``kind_labels`` reads who said what, ``agreement`` holds raters
against each other. ``unit_figures`` puts together what there is to say of a kind.
"""
