"""Child processes with limits of their own read what is hostile, so that none of it can stop or kill a run.

``asking`` keeps the children and asks them, ``child`` is what runs in them and what goes over the wire. A child's
work is a module of a room above, which it loads by name.
"""
