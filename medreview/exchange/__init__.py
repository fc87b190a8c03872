"""Reading files into a study and writing a study into files.

The modules in the order of use; nothing is imported here, so that a command loads what it needs:

- Reading, whatever it is: ``recognise`` says what a path holds; ``files``, ``rows``, ``json_rows``, ``table_rows`` and
  ``answer_rows`` make rows of it, and ``fields`` says which column is what.
- Into a study: ``records`` and ``responses`` (answers), ``judgements``, ``sourcecheckup`` (tables of statement, source
  and decision), ``key_facts``, ``exported`` (an export back again).
- Out of a study: ``export``, into the files that ``columns`` and ``task_columns`` describe, with the rows of
  ``label_rows``, ``study_rows`` and ``task_rows``; ``payload``, ``csv_file`` and ``folder`` write them.
- The report on citations, without a study: ``citation_answers`` in, ``citation_rows`` and ``citation_html`` out,
  each as an ``own_file``.
"""
