"""Sources: get the page behind a citation, safely, turn it into text, and say what kind of page it was.

The modules in the order of use; nothing is imported here, because most of them load heavy libraries:

- Asking: ``stage`` gets what a study cites. It asks through ``fetch`` and ``fetcher``, one ``hop`` after the other,
  with ``client``, ``guard``, ``proxy``, ``robots``, ``pace``, ``body`` and ``limits``; ``network`` and ``services``
  say how and whom. ``fetched`` is what comes back.
- Saved pages instead: ``folder`` (with ``manifest``), and ``warc`` (with ``warc_records`` and ``warc_http``).
- Reading: ``page`` makes texts of a body, through ``charset``, ``html`` or ``pdf`` (in ``pdf_child``), and ``states``
  with ``phrases`` and ``phrases_abroad`` says what kind of page it is. For HTML: ``markup``, ``formulas``, ``raised``,
  ``tables``, ``stand_ins``, ``heading_marks`` and ``walker``.
- Answers of public services: ``records``, by ``pubmed``, ``jats`` and ``europe_pmc``, with ``xml_tree``,
  ``record_draft`` and ``record_notices``.
- Keeping: ``snapshots``; ``outline`` finds headings in what is kept; ``save_stage`` and ``saved`` write pages out.
- Asking others about an address: ``archive`` and ``registry``, through ``lookups``.
"""
