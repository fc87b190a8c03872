"""Evidence without a model: which passages bear on a statement, what clashes, and where a quotation is.

``ranking.SourceIndex`` and ``assess.assess`` for statements, ``grounding.QuoteIndex`` and ``grounding.ground`` for
quotations, ``lexical.matches`` for neutral highlights, ``protocol.serve`` for JSON lines. Under them: ``fold``
(typography), ``segment`` (passages), ``terms`` (stems, synonyms), ``quantities`` and ``units``, ``clashes``.
Everything is a pure function of texts; an index is built once per snapshot and can be sent to another process.
"""
