"""Figures: each with an interval, n, and a reason when undefined.

``formulas`` are statistics over plain vectors, ``reports`` the figures of a study, ``citations`` those on what its
responses cite, ``facts`` those on key facts in them. Importing these packages is light: the modules that count and
resample import numpy; ``formulas.estimate``, ``formulas.intervals``, ``formulas.linearised``,
``formulas.clustered_pairs``, ``formulas.few_responses``, ``reports.reviewer_labels`` and
``reports.label_scales`` do not.
"""
