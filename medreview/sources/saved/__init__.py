"""Saved pages in place of the network: ``pages_folder`` and ``warc`` read them, ``save_stage`` writes them."""
