"""The sample study's inputs: answers, saved pages and recorded judgements, written for this project.

``README.md`` lists the errors that were planted. Read through ``importlib.resources``; imported by ``medreview demo``.
"""
