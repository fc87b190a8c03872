"""Bibliographic services: what each is asked by, how its answers are read, in which order, and how often.

``look_up`` does the whole way for many references. A module of the name of each service (``crossref``, ``datacite``,
``pubmed``, ``europe_pmc``, ``clinical_trials``, ``openalex``) makes its queries and reads its records; ``service`` says
what they have in common, and ``client`` asks: many identifiers in one request, as often as the service allows, nothing
twice. Only fields of a :class:`~medreview.references.model.Reference` get into a query.
"""
