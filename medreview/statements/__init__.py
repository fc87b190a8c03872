"""A response cut into statements: sentences, list items and table rows, each with its place in the text.

``split.split`` is the way in, ``sentences.sentence_spans`` the segmentation alone, ``stage`` the study's side.
"""
