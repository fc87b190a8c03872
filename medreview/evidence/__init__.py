"""Evidence retrieval without a model: relevant passages, contradictions (clashes), and quote grounding.

``passage_ranking.SourceIndex`` and ``assess.assess`` are for statements, ``grounding.QuoteIndex`` and
``grounding.ground`` for quotations, ``source_highlights.matches`` for neutral highlights, ``jsonl_filter.serve`` for
JSON Lines. They use ``normalise`` (typography), ``segment`` (passages), ``terms`` (stems, synonyms), ``quantities``,
``lexicon`` (function words, and words that exclude one another), ``sentence_analysis`` and ``clashes``. Differences in
quotations: ``differences``, ``inflection`` and ``omissions``.

Texts are assumed to be English. In German, French, Spanish and Portuguese, words match as written (and after English
stemming, whatever that does to them), sentences are segmented, and decimal commas, units, bounds, ranges and simple
frequencies are parsed. Not supported there: numbers in words, a point for thousands (``1.500 mg`` is read as one and a
half), synonyms other than a reviewer's own, section headings, and clashes of words (all but those of amounts). Other
languages, and scripts without spaces, get exact and normalised quotations and little else. Nothing is translated: a
statement in one language and a page in another share few words.

Everything is a pure function of texts; an index is built once per snapshot and is picklable.
"""
