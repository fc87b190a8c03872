"""One HTTP request to an OpenAI-compatible endpoint through the SDK, with the SDK's retries and defaults disabled.

JSON is read in whatever encoding it came, of bounded size, depth and number of values. An answer that came as a stream
of events, although none was asked for, has its pieces joined to one completion.
"""

import asyncio
import json
import os
import random
import re
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import medreview
from medreview.bounded_reading import Body, BrokenBodyError, EncodingRefusedError, TooLargeError, encoding_of, read_body
from medreview.errors import UserError
from medreview.llm.settings import JudgeSettings
from medreview.redaction import redact
from medreview.storable import is_too_deep

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx2
    from openai import AsyncAPIResponse, AsyncOpenAI


LONGEST: Final = 8_000_000
"""Characters; as many as the largest answer has bytes (``transport.LARGEST_ANSWER``)."""
MOST_VALUES: Final = 500_000
"""Of a text; counted by commas and brackets, before anything is built of them. A value takes 30 to 100 bytes."""
_LONGEST_NUMBER: Final = 40


class NotJsonError(ValueError):
    """The text is no JSON; ``bound``: it may be, but a bound was met, and it is not read. One sentence."""

    def __init__(self, sentence: str, *, bound: bool = False) -> None:
        super().__init__(sentence)
        self.bound = bound


def text_of(body: bytes) -> str:
    """A body's text: UTF-8, or UTF-16 or UTF-32 with or without a byte-order mark; U+FFFD for invalid bytes."""
    return body.decode(json.detect_encoding(body), "replace")


def decode(text: str) -> Any:
    """The value of a JSON text; raises :class:`NotJsonError`.

    A number of more than 40 digits becomes infinite, whatever it is: no count and no share is as large.
    """
    if len(text) > LONGEST:
        raise NotJsonError(f"It is longer than {LONGEST:,} characters.", bound=True)
    if text.count(",") + text.count("[") + text.count("{") > MOST_VALUES:
        raise NotJsonError(f"It holds more than {MOST_VALUES:,} values.", bound=True)
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        value = None
        too_deep = True
    except ValueError:
        raise NotJsonError("It is not complete JSON.") from None
    else:
        too_deep = is_too_deep(value)
    if too_deep:
        raise NotJsonError("Its lists stand in one another too deep.", bound=True)
    return value


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float("inf")


_DECODER: Final = json.JSONDecoder(strict=False, parse_int=_whole_number)


END: Final = "data: [DONE]"
"""The last line of a stream, by which a server may leave the connection open."""
TYPE: Final = "text/event-stream"
MOST_EVENTS: Final = 200_000
"""Of one stream; an event is a token or so, and no model writes as many."""
_LINE: Final = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_STARTS: Final = ("data:", "event:", "id:", ": ", ":\n", "retry:")


def is_event_stream(content_type: str, text: str) -> bool:
    """Whether a body is a stream of events, by its type or, where that is wrong, by its first line."""
    return content_type.strip().lower().startswith(TYPE) or text.lstrip("\ufeff\r\n ").startswith(_STARTS)


def completion_of(text: str) -> dict[str, Any]:
    """The chat completion that the events make up, in the form in which it comes whole.

    An event with a whole message, or with an error, is taken as it is. Raises
    :class:`~medreview.llm.transport.NotJsonError` when an event is no JSON, or the stream has no end: neither the
    last line nor a reason why the model stopped.
    """
    told: dict[str, list[str]] = {"content": [], "refusal": []}
    annotations: list[Any] = []
    beside: dict[str, Any] = {}
    finish: Any = None
    usage: Any = None
    ended = False
    for data in _events(text):
        if data == "[DONE]":
            ended = True
            break
        event = decode(data)
        if not isinstance(event, Mapping):
            continue
        if event.get("error"):
            return dict(event)
        usage = event.get("usage") or usage
        beside |= {name: event[name] for name in ("citations", "search_results") if event.get(name)}
        choice = _choice(event)
        if isinstance(choice.get("message"), Mapping):
            return dict(event)
        delta = choice.get("delta")
        for name, pieces in told.items():
            piece = delta.get(name) if isinstance(delta, Mapping) else None
            if isinstance(piece, str):
                pieces.append(piece)
        more = delta.get("annotations") if isinstance(delta, Mapping) else None
        annotations += more if isinstance(more, list) else []
        finish = choice.get("finish_reason") or finish
    if not ended and finish is None:
        raise NotJsonError("The stream of events broke off.")
    message: dict[str, Any] = {name: "".join(pieces) for name, pieces in told.items()}
    message |= {"annotations": annotations} if annotations else {}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage, **beside}


def _events(text: str) -> Iterator[str]:
    """The data of each event. A line that begins an object is an event by itself, also without the empty line."""
    lines: list[str] = []
    count = 0
    for found in _LINE.finditer(text.lstrip("\ufeff")):
        line = found[1]
        is_data = line.startswith("data:")
        data = line.removeprefix("data:").removeprefix(" ")
        if lines and (not line.strip() or (is_data and data.startswith(("{", "[DONE]")))):
            count += 1
            if count > MOST_EVENTS:
                raise NotJsonError(f"It is a stream of more than {MOST_EVENTS:,} events.", bound=True)
            yield "\n".join(lines).strip()
            lines = []
        if is_data:
            lines.append(data)
    if lines:
        yield "\n".join(lines).strip()


def _choice(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first answer of an event; the last event, with the count of tokens, has none."""
    choices = event.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and choice.get("index", 0) == 0:
            return choice
    return {}


LARGEST_ANSWER: Final = 8_000_000
"""Bytes of one answer, as sent and as unpacked; ten times what the longest answers with their reasoning have."""
LARGEST_ERROR: Final = 64_000
"""Bytes that are read of an answer with any status but 200; the rest is left where it is."""
_ENCODINGS: Final = "gzip, deflate"
_WHAT: Final = "answer"
_CONNECT_SECONDS: Final = 10
# The last is an internal header by which the SDK knows that it must not parse the body.
_HEADERS: Final = frozenset(
    {"host", "connection", "accept", "accept-encoding", "content-type", "content-length", "x-stainless-raw-response"}
)


TRIES: Final = 4
"""Of one request with transient failures."""
LONGEST_WAIT: Final = 120.0
"""Seconds; a server that asks for a longer pause (``Retry-After``) is given up for this run.

One question to a judge waits no longer either, with all its pauses together.
"""
_SLOWEST_BACKOFF: Final = 8.0


def pause_after(failures: int, backoff: float, wait: float | None = None) -> float:
    """Seconds until a request is sent again after so many failures: ``backoff`` after the first, doubled for each
    further one, a little less at random; at least the ``wait`` that the server asks for."""
    return max(min(_SLOWEST_BACKOFF, backoff * 2.0 ** (failures - 1)) * random.uniform(0.75, 1), wait or 0.0)


class NoReply(Exception):
    """No reply that can be read; the message says why. ``sent``: the server may have got the request, and be paid."""

    def __init__(self, sentence: str, *, sent: bool = True) -> None:
        super().__init__(sentence)
        self.sent = sent


class TimedOut(NoReply):
    """No complete answer within the judge's ``timeout``."""


class Unreachable(NoReply):
    """No connection, or a broken one."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The response: status, headers in lower case, and the body as decoded JSON (``None`` if invalid) and as text.

    ``problem``: the bound that kept the body from being decoded, as a sentence; ``""`` else.
    """

    status: int
    headers: Mapping[str, str]
    data: Any
    text: str
    problem: str = ""


def connect(settings: JudgeSettings, *, files: bool = False) -> "AsyncOpenAI":
    """As :func:`open_client`; raises :class:`UserError` when a key is configured and not in the environment, or for an
    invalid proxy."""
    if settings.api_key_env and not settings.key:
        raise UserError(
            f"{settings.role.capitalize()} {settings.name!r} needs its key in the environment variable "
            f"{settings.api_key_env}, which is not set."
        )
    try:
        return open_client(settings, files=files)
    except (OSError, ValueError) as error:  # what the environment says about proxies and certificates
        raise UserError(
            f"{settings.role.capitalize()} {settings.name!r} cannot be set up: {redact(str(error))}"
        ) from error


def open_client(settings: JudgeSettings, *, files: bool = False) -> "AsyncOpenAI":
    """An SDK client that sends this judge's key, and nothing else from the environment, to this judge's base URL.

    With ``files`` the body of a good reply is not read ahead: a download counts its bytes.

    By default the SDK takes base URL and key from ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``, and sends the values of
    ``OPENAI_ORG_ID``, ``OPENAI_PROJECT_ID`` and ``OPENAI_CUSTOM_HEADERS`` to any server: both are always given here,
    and headers pass an allow list. Redirects are not followed, and a local judge is never reached through a proxy: the
    texts would go elsewhere than configured.
    """
    import httpx2
    import openai

    key = settings.key

    async def filter_headers(request: httpx2.Request) -> None:
        for name in list(request.headers):
            if name.lower() not in _HEADERS:
                del request.headers[name]
        request.headers["Accept-Encoding"] = _ENCODINGS
        request.headers["User-Agent"] = f"medreview/{medreview.__version__}"
        if key:
            request.headers["Authorization"] = f"Bearer {key}"

    http_client = openai.DefaultAsyncHttpx2Client(
        timeout=httpx2.Timeout(settings.timeout, connect=min(_CONNECT_SECONDS, settings.timeout)),
        # No keep-alive: what a server sends after a response would be taken for the answer to the next question.
        limits=httpx2.Limits(max_connections=settings.concurrency, max_keepalive_connections=0),
        follow_redirects=False,
        trust_env=not settings.is_local,
        verify=_certificates(os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", "")),
        event_hooks={"request": [filter_headers], "response": [_bound_error if files else _bound]},
    )
    return openai.AsyncOpenAI(
        base_url=settings.base_url,
        api_key="set by the hook above",
        organization="",
        project="",
        max_retries=0,
        http_client=http_client,
    )


async def _bound_error(response: "httpx2.Response") -> None:
    if response.status_code != 200:
        await _bound(response)


async def _bound(response: "httpx2.Response") -> None:
    """Put a bounded, unpacked body in the place of the one that would be read whole, also by the SDK for an error.

    A body that is too large or cannot be unpacked is an error with status 200 only; of any other answer the beginning
    is enough to tell what it is, or the status.
    """
    import httpx2

    assert isinstance(response.stream, httpx2.AsyncByteStream)
    sent: httpx2.AsyncByteStream = response.stream
    encoding = response.headers.pop("content-encoding", "")

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                body = Body(
                    encoding=encoding_of(encoding, _WHAT),
                    declared=response.headers.get("content-length", ""),
                    max_bytes=LARGEST_ANSWER if response.status_code == 200 else LARGEST_ERROR,
                    truncate=response.status_code != 200,
                    what=_WHAT,
                )
                is_stream = response.headers.get("content-type", "").startswith(TYPE)
                yield await read_body(_until_the_end(sent) if is_stream else sent, body)
            except (TooLargeError, BrokenBodyError, EncodingRefusedError):
                if response.status_code == 200:
                    raise

        async def aclose(self) -> None:
            await sent.aclose()

    response.stream = Bounded()


@cache
def _certificates(file: str, folder: str) -> "SSLContext":
    """The certificates that ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` name, else those that the SDK trusts by default; read
    once for all judges, which takes 25 ms. Raises :class:`OSError`, which names what cannot be read."""
    import httpx2

    try:
        return httpx2.create_ssl_context()
    except OSError as error:
        raise OSError(f"SSL_CERT_FILE names {file}, which holds no certificates that can be read") from error


async def post(client: "AsyncOpenAI", body: Mapping[str, Any], seconds: float) -> Reply:
    """Send one request for a chat completion; raises what :func:`answered` raises."""
    extra = dict(body)
    model, messages = extra.pop("model"), extra.pop("messages")
    create = client.chat.completions.with_streaming_response.create
    return await answered(create(model=model, messages=messages, extra_body=extra), seconds)


async def post_embeddings(client: "AsyncOpenAI", body: Mapping[str, Any], seconds: float) -> Reply:
    """The same for the embeddings of texts, which ``body`` has as its ``input``."""
    extra = dict(body)
    model, texts = extra.pop("model"), extra.pop("input")
    create = client.embeddings.with_streaming_response.create
    return await answered(create(model=model, input=texts, encoding_format="float", extra_body=extra), seconds)


async def post_json(client: "AsyncOpenAI", path: str, body: Mapping[str, Any], seconds: float) -> Reply:
    """The same for a path of the server that the SDK has no name for, below the judge's base URL."""
    import httpx2

    @asynccontextmanager
    async def call() -> AsyncIterator[httpx2.Response]:
        yield await client.post(path, cast_to=httpx2.Response, body=dict(body))

    async def read(response: httpx2.Response) -> Reply:
        return _reply(response.status_code, response.headers, response.content)

    return await answered(call(), seconds, read)


async def whole(response: "AsyncAPIResponse[Any]") -> Reply:
    """The reply of a response, with all of its body."""
    return _reply(response.status_code, response.headers, await response.read())


async def answered(
    call: AbstractAsyncContextManager[Any], seconds: float, read: Callable[[Any], Awaitable[Reply]] = whole
) -> Reply:
    """Send a request and read the reply, whatever its status; a good one with ``read``.

    Raises :class:`TimedOut` or :class:`Unreachable`. The deadline of ``seconds`` is for everything: a server that sends
    a byte now and then is cut off, too.
    """
    import httpx2
    import openai

    try:
        async with asyncio.timeout(seconds), call as response:
            return await read(response)
    except openai.APIStatusError as error:
        return _reply(error.status_code, error.response.headers, error.response.content)
    except (TooLargeError, BrokenBodyError, EncodingRefusedError) as error:
        raise Unreachable(str(error)) from None
    except (TimeoutError, openai.APITimeoutError, httpx2.TimeoutException) as error:
        connected = not isinstance(error.__cause__, httpx2.ConnectTimeout)
        raise TimedOut(f"There was no whole answer within {seconds:g} seconds.", sent=connected) from None
    except openai.APIConnectionError as error:
        connected = not isinstance(error.__cause__, httpx2.ConnectError)
        raise Unreachable(f"The server cannot be reached ({error.__cause__ or error}).", sent=connected) from None
    except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as error:
        raise Unreachable(f"The connection broke ({error}).") from None


def _reply(status: int, sent: Mapping[str, str], body: bytes) -> Reply:
    headers = {name.lower(): value for name, value in sent.items()}
    text, data, problem = text_of(body), None, ""
    try:
        is_stream = is_event_stream(headers.get("content-type", ""), text)
        data = completion_of(text) if is_stream else decode(text)
    except NotJsonError as error:
        problem = str(error) if error.bound else ""
    return Reply(status, headers, data, text, problem)


async def _until_the_end(sent: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """The chunks up to the last line of a stream of events, after which some servers leave the connection open."""
    last = b""
    async for chunk in sent:
        yield chunk
        last = (last + chunk)[-2 * len(END) :]
        if last.rstrip().endswith(END.encode()):
            return
