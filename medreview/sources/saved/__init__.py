"""Saved pages in place of the network.

``pages_folder`` (with ``manifest``) and ``warc`` (with ``warc_records`` and ``warc_http``) read them, ``save_stage``
and ``page_writer`` write them.
"""
