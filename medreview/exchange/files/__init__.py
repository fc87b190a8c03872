"""What the files of an export look like, for those that write them and those that read them back.

``columns`` describes them (columns of one kind of row only stand with the rows, in ``exports``), ``csv_file`` is one
file in one of two dialects and makes flat cells of an event and back, ``export_folder`` the folder with its
manifest.
"""
