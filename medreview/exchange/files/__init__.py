"""What the files of an export look like, for those that write them and those that read them back.

``columns`` and ``task_columns`` describe every file, ``page_columns`` what only the exported database has;
``event_payload`` makes flat cells of an event and back, ``csv_file`` is one file in one of two dialects, and
``export_folder`` the folder with its manifest.
"""
