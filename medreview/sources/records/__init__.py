"""Records of bibliographic services (PubMed, PubMed Central, Europe PMC).

``abstracts`` and ``jats`` parse them into a ``service_record``, which also words retractions and corrections.
"""
