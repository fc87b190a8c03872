"""Statements of a response: sentences, list items and table rows, each with its span in the text.

``split.split`` is the entry point, ``sentences.sentence_spans`` the sentence segmentation alone; ``stage`` does it for
a study. ``blocks`` finds paragraphs, lists and tables, ``kinds`` what is not a statement and what makes a sentence
checkable, ``marks`` the citations and emphasis at its edges. ``stage`` also finds what every statement cites itself,
with what the answer's producer says of its stretches, and ``own_citations`` says it.
"""
