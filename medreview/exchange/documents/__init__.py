"""Documents that clinicians have, read in a child process: a text in Markdown, or the rows of a sheet.

``reading`` is what the child runs. ``word`` reads .docx (with ``word_lists``), ``open_text`` .odt,
``workbook`` .xlsx and ``open_sheet`` .ods, whose rows ``sheets`` finds; ``pdf`` a PDF with its links, ``web_page`` a
saved page (``page_markdown``), with ``answer_pages`` for those of answer engines; ``rich_text`` RTF.
``zip_parts`` opens what is a zip, within limits; ``markdown`` writes links, tables and lists. The parent's side is
``medreview.exchange.imports.document_files``.
"""
