"""From a study into files.

``export`` writes the rows of ``label_rows``, ``study_rows`` and ``task_rows``; ``citation_rows`` writes the report on
citations as CSV and JSON. ``sqlite_database`` puts the same rows and those of ``page_rows`` into one database, with
``datasette_metadata`` beside it: ``sqlite_file`` writes it, by the keys of ``sqlite_schema``, with ``sqlite_views``.
"""
