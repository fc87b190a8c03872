"""Reading files into a study and writing a study into files.

Reading, in the order of use; nothing is imported here, so that a command loads what it needs:

- ``recognise``: :func:`what_is`, what a path holds
- ``records``: :func:`read_records`, answers in JSON, JSON lines, CSV, TSV, text and Markdown;
  ``responses``: :func:`import_responses`
- ``sourcecheckup``: :func:`import_sourcecheckup`, tables of statement, source and decision
- ``judgements``: :func:`read_judgements`, what judges said elsewhere
- ``key_facts``: :func:`read_facts`, what a good response must say
- ``exported``: :func:`import_export`, an export back into a study

Writing: ``export``: :func:`export`, the set of CSV files that ``columns`` describes, with code book and manifest.
"""
