"""The tasks of judges, one module each: which units wait for a judge, the requests, and the rows to store.

``task`` defines what every task has in common, ``registry`` finds one by its name, ``responses`` is for tasks on whole
responses. A task neither calls a model nor knows how many judges there are: ``medreview.judges.llm_stage`` and the
batch files do that.
"""
