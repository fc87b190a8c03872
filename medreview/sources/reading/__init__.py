"""Text extraction from a fetched body, and classification of the page.

``page`` extracts texts from a body, through ``charset``, ``html`` or ``pdf`` (in ``pdf_child``); ``page_states``
classifies the page, by the phrases of ``phrases`` and ``phrases_other_languages``. For HTML: ``markup``, ``formulas``,
``superscripts``, ``tables``, ``control_placeholders``, ``attribute_limit``, ``heading_marks`` and ``full_text``.
``outline`` finds the headings of a stored text.
"""
