"""Statistics over plain vectors, each an :class:`~medreview.stats.formulas.estimate.Estimate`; no study in sight.

``estimate`` (value, interval, n, reason), ``intervals`` (shares), ``bootstrap`` (the resampling engine),
``shared_draws`` (several figures from the same resamples), ``coefficients`` (formulas on summed counts),
``agreement``, ``classification``, ``human_baseline`` (a judge beside one person), ``hypothesis_tests``,
``ranks_and_ratings``, ``support``, ``spans``, ``latency``, ``audit_sampling`` and ``prediction_powered`` (the audit),
``clustered_pairs`` (while the reviewer works).
"""
