"""Text extraction from a body, and classification of the page.

``charset`` decodes a body, ``html`` and ``pdf`` (in ``pdf_lines``) extract its text; ``page_states`` classifies the
page, by the phrases of ``phrases`` and ``phrases_other_languages``. For HTML: ``markup``, ``formulas``,
``superscripts``, ``tables``, ``control_placeholders``, ``markup_limits``, ``heading_marks`` and ``full_text``.
``outline`` finds the headings of a stored text.
"""
