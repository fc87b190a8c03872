"""Getting a body for an address, safely.

``fetch`` asks for many through ``fetcher``, one ``single_request`` after the other, with ``client``, ``address_guard``,
``proxy``, ``robots``, ``rate_limit``, ``body`` and ``limits``; ``network`` and ``services`` say how and whom.
``fetched`` is what comes back.
"""
