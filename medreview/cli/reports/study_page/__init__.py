"""The report on a study, to hand in: one renderer per section, drawn as HTML or as Markdown from the same parts.

``material`` reads, ``written`` has the order of the sections and makes the files. A section is a function from the
material to its parts; one that yields none is left out.
"""
