"""Answers of public services: ``detect`` tells them apart and reads them by ``pubmed``, ``jats`` and ``europe_pmc``,
with ``xml_tree``, into a ``service_record``; ``notices`` puts retractions and corrections first.
"""
