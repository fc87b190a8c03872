"""Records of bibliographic services (PubMed, PubMed Central, Europe PMC).

``pubmed_xml``, ``jats`` and ``europe_pmc_json`` parse them into a ``service_record``; ``notices`` words retractions and
corrections.
"""
