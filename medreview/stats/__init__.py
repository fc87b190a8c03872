"""Figures: agreement, classification, citation support and spans, each with an interval, n and a reason when undefined.

Pure functions over plain vectors: ``figure`` (what a figure is and how it is printed), ``intervals`` (shares),
``bootstrap`` (the resampling engine), ``coefficients`` (formulas on summed counts), ``agreement``, ``classification``,
``support``, ``spans``, ``majority``, ``latency``, ``quick`` (kappa while the reviewer works).

On a study, read only, and each a part of ``study_figures``: ``reviewed`` and ``said`` (labels and verdicts on a
scale), ``cases`` (the study as a stream), ``study_progress``, ``compared``, ``judge_agreement``, ``between_judges``,
``study_support``. For a small jury: ``jury_labels``, ``small_jury``. For the cited addresses: ``cited``,
``url_shares``, ``url_figures``. For the report on citations: ``response_sample``, ``citation_kpis``, ``concordance``,
``citation_report``.

Importing this package is light: the modules that count and resample import numpy; ``figure``, ``intervals``,
``quick``, ``reviewed`` and ``said`` do not.
"""
