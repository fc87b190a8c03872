"""What judges are asked to do, one module per task: which units wait for a judge, what it is asked, what is stored.

``task`` says what every task has in common, ``registry`` finds one by its name. A task neither calls a model nor knows
how many judges there are: ``medreview.judges.llm_stage`` and the batch files do the asking.
"""
