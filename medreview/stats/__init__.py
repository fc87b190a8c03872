"""Figures: agreement, classification, citation support and spans, each with an interval, n and a reason when undefined.

Pure functions over plain vectors; nothing here opens a study. Importing this package is light: the modules that
count and resample (``bootstrap``, ``coefficients``, ``agreement``, ``classification``) import numpy.

``figure`` (what a figure is and how it is printed), ``intervals`` (shares), ``bootstrap`` (the resampling engine),
``coefficients`` (formulas on summed counts), ``agreement``, ``classification``, ``support``, ``spans``, ``majority``.
"""
