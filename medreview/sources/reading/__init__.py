"""From a body to a text, and what kind of page it is.

``page`` makes texts of a body, through ``charset``, ``html`` or ``pdf`` (in ``pdf_child``); ``page_states`` says what
came, with the phrases of ``phrases`` and ``phrases_other_languages``. For HTML: ``markup``, ``formulas``,
``superscripts``, ``tables``, ``control_placeholders``, ``attribute_limit``, ``heading_marks`` and ``full_text``.
``outline`` finds the headings of a stored text.
"""
