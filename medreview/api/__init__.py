"""The front door for Python: what ``import medreview`` offers, each name loaded when it is first used.

``open_study`` opens a study; what can be done with it is in ``preparing``, ``reading``, ``deciding`` and ``figures``,
on ``opened``. ``material`` and ``tables`` (of ``rows``) are what is read, ``comparisons`` which agreement is asked for,
``texts`` functions that need no study. All of it is glue: rules live in the rooms that it calls. ``docs/api.md`` is its
reference.
"""
