"""Bibliographic services: what each is asked by, how its answers are read, in which order, and how often.

``look_up.py`` does the whole way for many references. ``order.py`` says who is asked for what; a module of the name of
each service (``crossref``, ``datacite``, ``pubmed``, ``europe_pmc``, ``clinical_trials``, ``openalex``) makes its
queries and reads its records; ``client.py``, ``batches.py`` and ``channel.py`` ask: many identifiers in one request,
as often as the service allows, nothing twice. ``said.py`` words what leaves the machine. Only fields of a
:class:`~medreview.references.model.Reference` get into a query.
"""
