"""From a study into files.

``export`` writes the rows of ``label_rows``, ``study_rows`` and ``task_rows``; ``citation_rows`` and ``citation_html``
write the report on citations.
"""
