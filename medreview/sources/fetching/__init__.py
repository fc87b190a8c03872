"""Fetching pages over HTTP, with an address guard, rate limits, bounded bodies and robots exclusion.

``fetch`` gets many URLs concurrently and follows each through its redirects and retries, over ``address_guard`` or a
proxy. ``network`` is the settings and the result, and the addresses of services that know an identifier.
"""
