"""Fetching pages over HTTP, with an address guard, rate limits, bounded bodies and robots exclusion.

``fetch`` gets many URLs concurrently; ``fetcher`` follows one through its redirects and retries, each step a
``single_request``. ``client`` builds the httpx client over ``address_guard`` or ``proxy``; ``rate_limit``, ``robots``,
``body`` and ``limits`` hold the bounds. ``network`` is the settings, ``services`` the public services for identifiers,
``fetched`` the result.
"""
