"""Bibliographic services: what each is asked by, how its answers are read, in which order, and how often.

``look_up`` does the whole way for many references: many identifiers in one request, as often as the service allows,
nothing twice. The classes of ``medline`` (PubMed, Europe PMC) and ``registers`` (Crossref, DataCite,
ClinicalTrials.gov, OpenAlex) make the queries and read the records; ``service`` has what they have in common. Only
fields of a :class:`~medreview.references.model.Reference` get into a query.
"""
