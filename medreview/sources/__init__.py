"""Sources: fetch the page behind a citation safely, extract its text and classify the page.

``stage`` does it for a study: ``page`` makes a page of what was fetched, in a child process that ``page_reader`` asks,
and ``snapshots`` stores it. ``fetching`` gets a body from the network, ``saved`` from a folder or a WARC file;
``reading`` extracts the text of a page, ``records`` that of a bibliographic record; ``lookups`` queries services about
a URL, and ``reach`` checks whether it can be reached. Nothing is imported here, because most of it loads heavy
libraries.
"""
