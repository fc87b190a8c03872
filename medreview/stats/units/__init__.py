"""Figures of the units of review that are not statements, key facts among them.

``kind_labels`` reads who said what and on which scale opinions are compared, ``rater_agreement`` compares raters.
``unit_figures`` puts together what there is to say about a kind.
"""
