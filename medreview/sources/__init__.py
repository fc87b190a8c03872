"""Sources: get the page behind a citation, safely, turn it into text, and say what kind of page it was.

``stage`` does it for a study, and ``snapshots`` keeps what came. ``fetching`` gets a body from the network, ``saved``
from a folder or a WARC file; ``reading`` makes a text of it, ``records`` one of the answers of public services;
``lookups`` asks others about an address. Nothing is imported here, because most of it loads heavy libraries.
"""
