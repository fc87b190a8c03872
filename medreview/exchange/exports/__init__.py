"""From a study into files.

``export`` writes the rows of ``label_rows``, ``study_rows`` and ``task_rows``; ``citation_rows`` writes the report on
citations as CSV and JSON. ``sqlite_database`` puts the same rows into one database, by the keys and views of
``sqlite_schema``, with ``datasette_metadata`` beside it.
"""
