"""One request to one address: what is sent, what comes back, and what each failure is called."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import httpx

from medreview.sources.fetching.address_guard import RefusedError, UnknownHostError
from medreview.sources.fetching.body import (
    Body,
    BrokenBodyError,
    EncodingRefusedError,
    TooLargeError,
    encoding_of,
    read_body,
)
from medreview.sources.fetching.fetched import Fetched, http_failure, utc_text, validator
from medreview.sources.fetching.network import Request
from medreview.sources.fetching.proxy import ProxyFailedError
from medreview.sources.fetching.rate_limit import retry_after

_TRY_AGAIN: Final = frozenset({429, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class How:
    """How to ask: ``body`` whether it is read, ``cut`` whether a longer one than ``max_bytes`` is cut off there."""

    method: str = "GET"
    body: bool = True
    max_bytes: int = 0
    cut: bool = False
    robots: bool = True


class TryAgain(Exception):
    """This try failed in a way that another may not; ``answer`` is what to say if it was the last."""

    def __init__(self, answer: Fetched, wait: float | None = None) -> None:
        super().__init__(answer.detail)
        self.answer = answer
        self.wait = wait


class Budget:
    """The seconds that one URL may still spend on the network."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    @asynccontextmanager
    async def spend(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(self.left):
                yield
        finally:
            self.left -= loop.time() - began


class Asker:
    """Sends single requests; ``proxy`` is the name of the proxy they go through, or empty."""

    def __init__(self, client: httpx.AsyncClient, *, deadline: float, proxy: str) -> None:
        self._client = client
        self._deadline = deadline
        self._proxy = proxy

    async def ask(self, answer: Fetched, request: Request, how: How, budget: Budget) -> Fetched | tuple[int, str]:
        """One request: an answer, or the status and the URL of a redirect. Raises :class:`TryAgain`."""
        host = host_of(answer.final_url)
        by = f" through the proxy {self._proxy}" if self._proxy else ""
        headers = _validators(request) if request.validates == answer.final_url else {}
        begun = False
        try:
            async with (
                budget.spend(),
                self._client.stream(how.method, answer.final_url, headers=headers) as response,
            ):
                begun = True
                if self._proxy and response.status_code == 407:
                    raise ProxyFailedError(_proxy_refused(self._proxy, 407))
                answer = replace(answer, status=response.status_code, fetched_at=utc_text(datetime.now(UTC)))
                if response.next_request is not None:
                    return response.status_code, str(response.next_request.url)
                if headers and response.status_code == 304:
                    return _unchanged(answer, response, request)
                return await self._read(response, answer, how)
        except TryAgain:
            raise
        except (RefusedError, EncodingRefusedError) as error:
            return replace(answer, state="blocked", detail=str(error))
        except TooLargeError as error:
            return replace(answer, state="too_large", detail=str(error))
        except (UnknownHostError, BrokenBodyError, ProxyFailedError) as error:
            return replace(answer, state="http_error", detail=str(error))
        except httpx.ProxyError as error:
            status = re.match(r"\d{3}", str(error))  # httpcore gives the proxy's answer to CONNECT as a text
            known = int(status.group()) if status else 0
            refused = replace(answer, state="http_error", detail=_proxy_refused(self._proxy, known))
            if known in _TRY_AGAIN:
                raise TryAgain(refused) from None
            return refused
        except httpx.ConnectTimeout:
            late = replace(answer, state="timeout", detail=f"{host} did not accept a connection in time{by}.")
            raise TryAgain(late) from None
        except (TimeoutError, httpx.TimeoutException):
            slow = f"{host} did not send the page{by} within {self._deadline:g} seconds."
            return replace(answer, state="timeout", detail=slow)
        except httpx.TransportError as error:
            if _certificate_failed(error):
                bad = f"The certificate of {host} could not be verified."
                return replace(answer, state="http_error", detail=bad)
            if begun:
                return replace(answer, state="http_error", detail=f"{host} broke off in the middle of the page.")
            raise TryAgain(replace(answer, state="http_error", detail=f"{host} could not be reached{by}.")) from None
        except Exception as error:
            # Whatever a server sends, one URL must not end the fetch of the others.
            odd = f"The answer of {host} could not be understood ({type(error).__name__})."
            return replace(answer, state="http_error", detail=odd)

    async def _read(self, response: httpx.Response, answer: Fetched, how: How) -> Fetched:
        status, headers = response.status_code, response.headers
        state, detail = http_failure(status)
        if self._proxy and status in _TRY_AGAIN and status != 429:
            detail = f"The server, or the proxy {self._proxy} before it, answered with status {status}."
        body = b""
        try:
            if how.body:
                encoding = encoding_of(headers.get("content-encoding", ""))
                declared = headers.get("content-length", "")
                taken = Body(encoding=encoding, declared=declared, max_bytes=how.max_bytes, cut=how.cut)
                body = await read_body(response.aiter_raw(), taken)
        except (TooLargeError, BrokenBodyError, EncodingRefusedError):
            if state is None:
                raise
            # an error page is only of interest for what it says, if it can be had
        answer = replace(answer, content_type=headers.get("content-type", ""), body=body, state=state, detail=detail)
        if state is None:
            etag, modified = validator(headers.get("etag", "")), validator(headers.get("last-modified", ""))
            answer = replace(answer, etag=etag, last_modified=modified)
        if status in _TRY_AGAIN:
            raise TryAgain(answer, retry_after(headers.get("retry-after", "")))
        return answer


def host_of(url: str) -> str:
    """The host of a URL, ``""`` when it names none or is no URL."""
    try:
        return httpx.URL(url).host
    except (httpx.InvalidURL, ValueError, TypeError):
        return ""


def _validators(request: Request) -> dict[str, str]:
    headers = {"If-None-Match": validator(request.etag), "If-Modified-Since": validator(request.last_modified)}
    return {name: value for name, value in headers.items() if value}


def _unchanged(answer: Fetched, response: httpx.Response, request: Request) -> Fetched:
    """The answer to a 304; what it says of the validators is newer than what was sent."""
    etag = validator(response.headers.get("etag", "")) or validator(request.etag)
    modified = validator(response.headers.get("last-modified", "")) or validator(request.last_modified)
    return replace(answer, etag=etag, last_modified=modified, unchanged=True)


def _proxy_refused(proxy: str, status: int) -> str:
    if status == 407:
        return f"The proxy {proxy} asks for a user name and password (status 407); the page was not asked."
    said = f" (status {status})" if status else ""
    return f"The proxy {proxy} did not let the request through{said}; the page was not asked."


def _certificate_failed(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False
