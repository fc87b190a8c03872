"""Text extraction from a body, and classification of the page.

``charset`` decodes a body, ``html`` and ``pdf`` (in ``pdf_lines``) extract its text; ``page_states`` classifies the
page, by the phrases of ``phrases`` and ``phrases_other_languages``. For HTML: what is set apart (``concealment``, with
``style_rules``, ``colours`` and ``panel_controls``; ``set_apart``) and the areas of a page (``areas``) are noted on its
elements; ``markup``, ``formulas``, ``superscripts``, ``tables``, ``control_placeholders`` and ``markup_limits``
prepare it; ``lines`` reads it, ``main_content`` tells which of its lines are the text. ``outline`` finds the headings
of a stored text.
"""
