"""Import of files into a study.

``open_rows`` opens a file and parses it, with ``file_rows`` and ``json_rows``; ``field_mapping`` maps columns to
fields, and ``foreign_files`` refuses what other programs wrote for themselves. Then ``answer_records`` (answers),
``judgements``, ``sourcecheckup`` (tables of statement, source and decision), ``fact_records``, ``import_export`` (an
export imported again), and ``citation_answers`` for the report on citations, without a study.
"""
