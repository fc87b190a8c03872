"""The figures of a study's statements, read only.

``study_reader`` streams the study, ``reviewer_labels`` and ``label_scales`` put labels and verdicts on one scale;
``study_progress``, ``judge_agreement``, ``between_judges`` (by ``comparison``) and ``study_support`` count;
``item_flow`` is the way from responses to labels, ``selection`` a part of the study, ``strata`` and ``by_report``
what it is divided by; ``figure_rows`` makes rows of figures for scripts. ``provenance`` says which state of which
study they are of. ``jury_labels`` and ``small_jury`` look for a small jury.
"""
