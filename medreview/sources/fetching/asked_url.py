"""Which URLs can be asked: every URL from outside is looked at here before anything else is done with it."""

import httpx

_LAST_PORT = 65535


def parsed_url(url: str) -> httpx.URL | None:
    """A URL as it can be asked; ``None`` for a text that is none, or whose host is no name (``xn--a``)."""
    try:
        parsed = httpx.URL(url)
        # Only here the host's Punycode is decoded; the errors of idna are ValueErrors.
        return parsed if parsed.host is not None else None
    except (httpx.InvalidURL, ValueError, TypeError):
        return None


def host_of(url: str) -> str:
    """The host of a URL, ``""`` for one without a host and for a text that is no URL."""
    parsed = parsed_url(url)
    return parsed.host if parsed is not None else ""


def url_refusal(url: str) -> str | None:
    """Why a URL is not requested at all, as a sentence; ``None`` when it may be."""
    parsed = parsed_url(url)
    if parsed is None:
        return "This is not a web address that can be asked."
    if parsed.scheme not in ("http", "https"):
        return f"Only http and https addresses are fetched, not {parsed.scheme or 'an address without a scheme'}."
    if not parsed.host:
        return "The web address names no host."
    if parsed.userinfo:
        return "The web address carries a user name or a password; it was not asked."
    if parsed.port is not None and not 0 < parsed.port <= _LAST_PORT:
        return f"The web address names a port that there is not ({parsed.port}); it was not asked."
    return None


class BadRedirectError(Exception):
    """A server redirects to what is no URL; ``status`` is that of its answer."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


async def check_redirect(response: httpx.Response) -> None:
    """Raise :class:`BadRedirectError` for a redirect to what is no URL; httpx would raise errors of many kinds."""
    if not response.has_redirect_location:
        return
    try:
        target = str(response.request.url.join(response.headers["location"]))
    except (httpx.InvalidURL, ValueError):
        raise BadRedirectError(response.status_code) from None
    if parsed_url(target) is None:
        raise BadRedirectError(response.status_code)
