"""Saved pages in place of the network: a folder of them, and WARC files."""
