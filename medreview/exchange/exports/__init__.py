"""From a study into files.

``export`` writes the files that ``label_rows``, ``pair_rows``, ``study_rows``, ``task_rows``, ``unit_rows``,
``wide_labels`` and ``reference_rows`` describe; ``sqlite_database`` puts the same rows into one database, with its
views and metadata.
``label_lines`` writes labels as JSON lines, ``label_table`` as one table, ``annotations`` marked words as Web
Annotations; ``deposit`` describes an export for a repository. ``citation_rows`` and ``figure_csv`` write reports as
CSV, ``package`` a copy of the study without what a colleague must not know.
"""
