"""Sources: get the page behind a citation, safely, turn it into text, and say what kind of page it was.

The modules in the order of use; nothing is imported here, because most of them load heavy libraries:

- ``fetched``: :class:`Fetched`, what came back for one URL
- ``folder``: :class:`PagesFolder`, a folder of saved pages in place of the network
- ``fetch``: :func:`fetch_all`, live HTTP through ``guard``, with ``Limits``
- ``page``: :func:`read_page`, a fetched body becomes a :class:`Page` (through ``html``, ``walker``, ``pdf``)
- ``states``: the rules for page states
"""
