"""How a reviewer works, told by the events: for the reviewer's own eyes.

``timed_decisions`` (what is known of each first decision), ``pace``, ``drift`` (the thirds of a sitting),
``intra_rater`` (second pass against first), ``signs`` (of labels given without looking), ``conduct_report`` (all).
"""
