"""Figures: agreement, classification, citation support and spans, each with an interval, n and a reason when undefined.

Functions over plain vectors, or over the connection of a study that another opened. Importing this package is light:
the modules that count and resample (``bootstrap``, ``coefficients``, ``agreement``, ``classification``) import numpy.

``figure`` (what a figure is and how it is printed), ``intervals`` (shares), ``bootstrap`` (the resampling engine),
``coefficients`` (formulas on summed counts), ``agreement``, ``classification``, ``support``, ``spans``, ``majority``.
From a study: ``study_figures`` and its parts, among them ``between_judges``; ``jury_labels`` and ``small_jury`` choose
a few judges.
"""
