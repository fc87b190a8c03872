"""The five papers, and the notebook, each as one list of steps that can be done on a study of one's own.

``replay`` says what a replay is, ``runner`` does its steps, ``steps`` has their kinds. ``papers`` has one module for
each paper: its steps, how these depart from it, and its table. ``figures`` computes what such a table holds, ``table``
is what it is made of. ``registry`` has them by name. ``sample`` is what ``--sample`` runs on.
"""
