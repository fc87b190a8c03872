"""The tasks of judges, one module each: which units wait for a judge, the requests, and the rows to store.

``task`` defines what every task has in common and what tasks on whole responses share, ``registry`` finds one by its
name. A task neither calls a model nor knows how many judges there are: ``medreview.judges.llm_stage`` and the batch
files do that.
"""
