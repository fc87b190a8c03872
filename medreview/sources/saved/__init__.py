"""Saved pages in place of the network: ``pages_folder`` (with ``manifest``) and ``warc`` (``warc_records``,
``warc_http``) read them, ``save_stage`` and ``page_writer`` write them.
"""
