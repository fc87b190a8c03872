"""Every page is read in a child process with limits of its own, so that none can stop or kill a run.

``reader`` keeps the children and asks them, ``child`` is what runs in them, ``messages`` is what goes over the wire.
"""
