"""Figures: agreement, classification, citation support and spans, each with an interval, n and a reason when undefined.

Pure functions over plain vectors: ``figure`` (what a figure is and how it is printed), ``intervals`` (shares),
``bootstrap`` (the resampling engine), ``coefficients`` (formulas on summed counts), ``agreement``, ``classification``,
``support``, ``spans``, ``majority``, ``quick`` (kappa while the reviewer works).

On a study, read only: ``reviewed`` and ``said`` (labels and verdicts on a scale), ``cases`` (the study as a stream),
``compared``, ``judge_agreement``, ``study_support``, ``study_progress``, ``between_judges``, and ``study_figures``,
which is all of it. ``cited``, ``url_shares`` and ``url_figures`` look at the cited addresses. ``jury_labels`` and
``small_jury`` choose a few judges.

Importing this package is light: the modules that count and resample import numpy; ``figure``, ``intervals``,
``quick``, ``reviewed`` and ``said`` do not.
"""
