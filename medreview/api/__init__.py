"""The front door for Python: what ``import medreview`` offers, each name loaded when it is first used.

``open_study`` opens a study; what can be done with it stands there, in ``figures`` and on ``opened``. ``material`` and
``tables`` are what is read, ``texts`` functions that need no study. All of it is glue: rules live in the rooms that it
calls. ``docs/reference/api.md`` is its reference.
"""
