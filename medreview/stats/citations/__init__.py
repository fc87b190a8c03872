"""Figures on what responses cite.

``report`` is everything that ``medreview citations`` says, with ``kpis`` and ``reference_similarity``; ``url_figures``
is the analysis of addresses, with ``cited_sources`` and ``url_shares``.
"""
