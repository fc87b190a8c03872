"""Figures: each with an interval, n, and a reason when undefined.

``study_figures`` is everything that ``medreview stats`` says about a study, also as JSON. ``formulas`` are statistics
over plain vectors, ``reports`` the figures of statements, ``units`` those of every other kind of unit; ``clusters``
says which answers belong together.
``reviewer_conduct`` and ``decision_timing`` are about how a reviewer works; ``citation_kpis``, ``url_analysis``,
``reference_similarity`` and ``reference_verdicts`` about what responses cite. Importing these packages is light: the
modules that count and resample import numpy; ``clusters``, ``formulas.estimate``, ``formulas.intervals``,
``formulas.clustered_pairs`` and ``reports.reviewer_labels`` do not.
"""
