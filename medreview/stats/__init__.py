"""Figures: each with an interval, n, and a reason when undefined.

``study_figures`` is everything that ``medreview stats`` says of a study, ``figure_document`` the same for its JSON.
``formulas`` are statistics over plain vectors, ``reports`` the figures of statements, ``units`` those of every other
kind of unit, ``conduct`` those on how a reviewer works, ``citations`` on what responses cite, ``facts`` on key facts in
them. Importing these packages is light: the modules that count and
resample import numpy; ``formulas.estimate``, ``formulas.intervals``, ``formulas.linearised``,
``formulas.clustered_pairs``, ``formulas.few_responses``, ``reports.reviewer_labels`` and
``reports.label_scales`` do not.
"""
