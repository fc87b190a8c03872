"""The five papers, and the notebook, each as one list of steps that can be done on a study of one's own.

``replay`` says what a replay is and does its steps, ``step_kinds`` has their kinds. ``papers`` has one module for each
paper: its steps, how these depart from it, and its table. ``registry`` has them by name, and what ``--sample`` runs
on.
"""
