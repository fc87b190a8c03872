"""Text extraction from a body, and classification of the page.

``charset`` decodes a body, ``html``, ``pdf`` and ``ocr`` extract its text; ``page_states`` classifies the page, by the
phrases of ``words.toml``. For HTML: what is hidden or collapsed (``concealment``) and the areas of a page are noted on
its ``elements``; ``markup``, ``math_text`` and ``untrusted_markup`` prepare it; ``lines`` reads it.
``text_structure`` finds the headings of a stored text.
"""
