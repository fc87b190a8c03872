"""Import of files into a study.

``detect_format`` detects the format of a path; ``text_files`` and ``open_rows`` (with ``json_rows``, ``table_rows``,
``answer_rows``) parse it into ``rows``, ``field_mapping`` maps columns to fields, and ``foreign_files`` refuses what
other programs wrote for themselves. Then ``answer_records`` and
``responses`` (answers), ``judgements``, ``sourcecheckup`` (tables of statement, source and decision), ``key_facts``,
``import_export`` (an export imported again), and ``citation_answers`` for the report on citations, without a study.
"""
