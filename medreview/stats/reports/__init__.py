"""The figures of a study's statements, read only.

``study_reader`` streams the study, ``reviewer_labels`` puts labels and verdicts on one scale; ``review_progress``,
``judge_agreement`` (by ``comparison``) and ``study_support`` count; ``subgroups`` divides a study. ``provenance`` says
which state of which study the figures are from. ``small_jury`` looks for a small jury.
"""
