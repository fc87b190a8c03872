"""Records of bibliographic services (PubMed, PubMed Central, Europe PMC).

``detect`` recognises the format and parses it with ``pubmed``, ``jats`` or ``europe_pmc`` (and ``xml_tree``) into a
``service_record``; ``notices`` words retractions and corrections.
"""
