"""What the files of an export look like, for those that write them and those that read them back.

``columns`` says what a column and a file are (those of an export stand in ``exports``), ``csv_file`` is one file in one
of two dialects and makes flat cells of an event and back, ``export_folder`` the folder with its manifest.
"""
