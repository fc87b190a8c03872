"""Statistics over plain vectors, each an :class:`~medreview.stats.formulas.estimate.Estimate`; no study in sight.

``estimate`` (value, interval, n, reason), ``intervals`` (shares), ``bootstrap`` (the resampling engine),
``few_responses`` (the interval where they are too few to resample), ``student`` (quantiles of t),
``coefficients`` (formulas on summed counts), ``agreement``, ``classification``, ``diagnostic_accuracy``,
``human_baseline`` (a judge beside one person), ``hypothesis_tests``, ``multiplicity``, ``rank_correlation``, ``icc``,
``flag_ratios``, ``support``, ``spans``, ``latency``, ``response_sample`` (ratios over responses), ``linearised`` and
``clustered_pairs`` (while the reviewer works), ``thresholds`` (what is too few).
"""
