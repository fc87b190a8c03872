"""From files into a study.

``detect_format`` says what a path holds; ``text_files``, ``open_rows`` (with ``json_rows``, ``table_rows``,
``answer_rows``) make ``rows`` of it, and ``field_mapping`` says which column is what. Then ``answer_records`` and
``responses`` (answers), ``judgements``, ``sourcecheckup`` (tables of statement, source and decision), ``key_facts``,
``import_export`` (an export back again), and ``citation_answers`` for the report on citations, without a study.
"""
