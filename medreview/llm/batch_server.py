"""Batches at a server with ``/v1/files`` and ``/v1/batches``: what can be asked of it, and what it says of a batch.

The endpoints are OpenAI's; other servers and proxies (LiteLLM, the router of vLLM) have them with differences: other
words for a state, empty texts for ids, no metadata, errors of other shapes. States, ids and counts are checked and
mapped to one set of words; unusable ones raise :class:`BatchError`.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from medreview.bounded_reading import EncodingRefusedError, encoding_of
from medreview.errors import UserError
from medreview.event_loop import run_to_end
from medreview.llm.server_errors import diagnose
from medreview.llm.settings import JudgeSettings
from medreview.llm.transport import (
    LONGEST_WAIT,
    TRIES,
    Reply,
    TimedOut,
    Unreachable,
    answered,
    connect,
    pause_after,
    whole,
)
from medreview.redaction import redact, remember
from medreview.storable import storable_text

if TYPE_CHECKING:
    from openai import AsyncOpenAI


METADATA: Final = "medreview_job"
"""The name in a batch's metadata under which our id of the job stands."""
STATES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("validating", "pending", "queued", "created", "submitted", "not_started"), "validating"),
    **dict.fromkeys(("in_progress", "running", "processing", "started"), "in_progress"),
    "finalizing": "finalizing",
    "cancelling": "cancelling",
    "canceling": "cancelling",
    **dict.fromkeys(("completed", "succeeded", "success", "ended"), "completed"),
    **dict.fromkeys(("failed", "error"), "failed"),
    "expired": "expired",
    **dict.fromkeys(("cancelled", "canceled"), "cancelled"),
}
"""Words for the state of a batch, in lower case with ``_``: those of OpenAI's API, and of others for the same."""
OVER: Final = frozenset({"completed", "failed", "expired", "cancelled"})
"""States in which nothing more comes."""

_ABSENT: Final = frozenset({404, 405, 410, 501})
_MOST_REQUESTS: Final = 1_000_000_000
_LONGEST_ID: Final = 4000
_ID: Final = re.compile(r"[\x21-\x7e]+")


class BatchError(Exception):
    """A request was not done, or cannot be known to be; the message is a sentence, without keys.

    ``absent``: the server says that there is no such thing. ``unsure``: it may have been done all the same.
    ``status``: of HTTP, 0 without an answer.
    """

    def __init__(self, sentence: str, *, status: int = 0, unsure: bool = False) -> None:
        super().__init__(storable_text(redact(sentence)))
        self.status, self.unsure = status, unsure

    @property
    def absent(self) -> bool:
        """Whether the server says that it has no such thing."""
        return self.status in _ABSENT


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as the server tells of it; ``state`` is a value of :data:`STATES`.

    Ids are ``""`` and counts ``None`` where it gives none. ``job``: our id, from the metadata. ``problem``: why it
    failed, as the server says, or ``""``.
    """

    batch_id: str
    state: str
    input_file_id: str
    output_file_id: str
    error_file_id: str
    job: str
    completed: int | None
    failed: int | None
    problem: str

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self.state in OVER


def batch_of(told: Mapping[str, Any]) -> Batch:
    """The batch that a server tells of. Raises :class:`BatchError`."""
    word = told.get("status")
    state = STATES.get(re.sub(r"[\s-]+", "_", word.strip().lower())) if isinstance(word, str) else None
    batch_id = id_of(told, "id", "the batch")
    if state is None:
        shown = repr(word[:40]) if isinstance(word, str) else "no word"
        raise BatchError(f"The server's word for the state of a batch is {shown}, which medreview does not know.")
    metadata, counts = told.get("metadata"), told.get("request_counts")
    return Batch(
        batch_id=batch_id,
        state=state,
        input_file_id=id_of(told, "input_file_id", "the batch", optional=True),
        output_file_id=id_of(told, "output_file_id", "the batch", optional=True),
        error_file_id=id_of(told, "error_file_id", "the batch", optional=True),
        job=str(metadata.get(METADATA, ""))[:200] if isinstance(metadata, dict) else "",
        completed=_count(counts, "completed"),
        failed=_count(counts, "failed"),
        problem=_problem(told.get("errors")),
    )


def id_of(told: Mapping[str, Any], name: str, of: str, *, optional: bool = False) -> str:
    """An id; raises :class:`BatchError` if it is invalid, or missing and not ``optional``."""
    value = told.get(name)
    if optional and not value:
        return ""
    if isinstance(value, str) and len(value) <= _LONGEST_ID and _ID.fullmatch(value):
        return value
    raise BatchError(f"The server gave no usable id: `{name}` of {of}.", unsure=True)


def _count(counts: Any, name: str) -> int | None:
    value = counts.get(name) if isinstance(counts, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_REQUESTS else None


def _problem(errors: Any) -> str:
    """Why a batch failed: the messages of its first errors, whichever shape they have."""
    found = errors.get("data") or errors.get("message") if isinstance(errors, dict) else errors
    items = found if isinstance(found, list) else [found]
    texts = [it.get("message") or it.get("code") if isinstance(it, dict) else it for it in items[:3]]
    told = "; ".join(" ".join(text.split())[:300] for text in texts if isinstance(text, str) and text.strip())
    return storable_text(redact(told))


_SLOWEST_LINE: Final = 100_000
"""Bytes a second; a transfer that is slower than this, and takes longer than the ``timeout`` as well, is given up."""
_PAGES: Final = 100
_PAGE: Final = 100


class BatchServer:
    """The server of a judge or a model that writes. Every method raises :class:`BatchError`, and :class:`UserError`
    without the model's key.

    Requests that are safe to repeat are tried again after failures of the connection or the server; ``backoff`` are the
    seconds before the first such try, doubled for each further one. Raises :class:`UserError` for recorded answers.
    """

    def __init__(self, settings: JudgeSettings, *, backoff: float = 0.5) -> None:
        if settings.recorded:
            raise UserError(f"{settings.name} has recorded answers, and no server that takes batches.")
        remember(settings.key)
        self._settings = settings
        self.backoff = backoff
        self._fields = {name: str(value) for name, value in settings.batch_fields.items()}

    def upload(self, path: Path, name: str) -> str:
        """Upload a file of requests under this name; its id. Tried again after failures: a file costs nothing."""
        seconds = self._settings.timeout + path.stat().st_size / _SLOWEST_LINE

        with path.open("rb") as file:

            def request(client: "AsyncOpenAI") -> AbstractAsyncContextManager[Any]:
                file.seek(0)
                create = client.files.with_streaming_response.create
                sent = (name, file, "application/jsonl")
                return create(file=sent, purpose="batch", extra_body=self._fields, timeout=seconds)

            return id_of(self._asked(request, seconds=seconds), "id", "the file that was uploaded")

    def uploaded(self, name: str, size: int) -> str:
        """The id of a file that was uploaded under this name and has so many bytes; ``""`` if it is missing.

        A server that changes names, as proxies do, does not have it: it is uploaded again then.
        """
        for file in self._listed(lambda query, client: client.files.with_streaming_response.list(extra_query=query)):
            if file.get("filename") == name and file.get("bytes") == size:
                return id_of(file, "id", "a file")
        return ""

    def create(self, file_id: str, job: str) -> Batch:
        """Create the batch of an uploaded file, asked for once: an error that is ``unsure`` may have created it."""

        def request(metadata: bool) -> Callable[["AsyncOpenAI"], AbstractAsyncContextManager[Any]]:
            more: dict[str, Any] = {"metadata": {METADATA: job}} if metadata else {}
            return lambda client: client.batches.with_streaming_response.create(
                completion_window="24h", endpoint="/v1/chat/completions", input_file_id=file_id,
                extra_query=self._fields, **more,
            )  # fmt: skip

        try:
            return batch_of(self._asked(request(True), once=True, parameters=("metadata",)))
        except _Declined:
            return batch_of(self._asked(request(False), once=True))

    def created(self, file_id: str, job: str) -> Batch | None:
        """The batch of an uploaded file or with our id in its metadata; ``None`` if it is missing."""
        for batch in self._listed(lambda query, client: client.batches.with_streaming_response.list(extra_query=query)):
            metadata = batch.get("metadata")
            ours = isinstance(metadata, dict) and metadata.get(METADATA) == job
            if ours or batch.get("input_file_id") == file_id:
                return batch_of(batch)
        return None

    def batch(self, batch_id: str) -> Batch:
        """How a batch stands now."""
        return batch_of(
            self._asked(
                lambda client: client.batches.with_streaming_response.retrieve(batch_id, extra_query=self._fields)
            )
        )

    def cancel(self, batch_id: str) -> Batch:
        """Ask the server to do no more of a batch; what it has done stays."""
        return batch_of(
            self._asked(
                lambda client: client.batches.with_streaming_response.cancel(batch_id, extra_query=self._fields)
            )
        )

    def _batch(self, act: Callable[["AsyncOpenAI"], Callable[..., Any]], batch_id: str) -> Batch:
        return batch_of(self._asked(lambda client: act(client)(batch_id, extra_query=self._fields)))

    def download(self, file_id: str, file: BinaryIO, most: int) -> int:
        """Write the content of a file into one, from its beginning; its bytes. More than ``most`` are an error."""
        seconds = self._settings.timeout + most / _SLOWEST_LINE
        size = 0

        async def read(response: Any) -> Reply:
            nonlocal size
            if response.status_code != 200:
                return await whole(response)
            try:
                encoding_of(response.headers.get("content-encoding", ""), "file")
            except EncodingRefusedError as error:
                raise BatchError(str(error)) from None
            size = 0
            file.seek(0)
            file.truncate()
            async for chunk in response.iter_bytes():
                size += len(chunk)
                if size > most:
                    raise BatchError(f"The file is larger than {most / 1_000_000:g} MB; it was not read.")
                file.write(chunk)
            return Reply(200, response.headers, {}, "")

        self._asked(
            lambda client: client.files.with_streaming_response.content(file_id, extra_query=self._fields),
            seconds=seconds, read=read,
        )  # fmt: skip
        file.flush()
        return size

    def delete(self, file_id: str) -> None:
        """Delete a file at the server; one that is not there any more is no error."""
        try:
            self._asked(lambda client: client.files.with_streaming_response.delete(file_id, extra_query=self._fields))
        except BatchError as error:
            if not error.absent:
                raise

    def _listed(
        self, request: Callable[[dict[str, Any], "AsyncOpenAI"], AbstractAsyncContextManager[Any]]
    ) -> Iterator[dict[str, Any]]:
        """The items of a list, page by page; ends where a page adds nothing new, whatever the server says.

        Raises :class:`BatchError` for a list that goes on and on: what is not in it so far may be in it all the same.
        """
        after, seen = "", set[str]()
        for _ in range(_PAGES):
            query = {**self._fields, "limit": str(_PAGE), **({"after": after} if after else {})}
            told = self._asked(partial(request, query))
            items = told.get("data") if isinstance(told, dict) else None
            if not isinstance(items, list):
                raise BatchError("The server's list holds no items.", status=501)
            new = [
                it for it in items if isinstance(it, dict) and isinstance(it.get("id"), str) and it["id"] not in seen
            ]
            yield from new
            seen.update(it["id"] for it in new)
            if not new or told.get("has_more") is not True:
                return
            after = new[-1]["id"]
        raise BatchError(f"The server's list has more than {_PAGES * _PAGE:,} items.")

    def _asked(self, request: Callable[["AsyncOpenAI"], AbstractAsyncContextManager[Any]], **how: Any) -> Any:
        """The JSON of a good reply; ``how`` as in :meth:`_answer`."""
        return run_to_end(self._answer(request, **how))

    async def _answer(
        self,
        request: Callable[["AsyncOpenAI"], AbstractAsyncContextManager[Any]],
        *,
        once: bool = False,
        seconds: float = 0.0,
        parameters: tuple[str, ...] = (),
        read: Callable[[Any], Any] = whole,
    ) -> Any:
        """``once``: not repeated where the first request may have had its effect; ``seconds``: if they are not those of
        the settings; ``parameters``: those that the server may decline; ``read``: what reads the body of a file."""
        async with connect(self._settings, files=read is not whole) as client:
            tries = 0
            while True:
                tries += 1
                wait: float | None = None
                try:
                    reply = await answered(request(client), seconds or self._settings.timeout, read)
                except (TimedOut, Unreachable) as error:
                    failed, again = BatchError(str(error), unsure=True), not once
                else:
                    if 200 <= reply.status < 300 and isinstance(reply.data, dict) and not reply.data.get("error"):
                        return reply.data
                    failed, again, wait = _failure(reply, parameters, once)
                if not again or tries >= TRIES or (wait or 0) > LONGEST_WAIT:
                    raise failed
                await asyncio.sleep(pause_after(tries, self.backoff, wait))


class _Declined(BatchError):
    """The server does not take one of the parameters."""


def _failure(reply: Reply, parameters: tuple[str, ...], once: bool) -> tuple[BatchError, bool, float | None]:
    """The error in a reply, whether to ask again, and after how many seconds the server wants that."""
    if 300 <= reply.status < 400:
        return BatchError(
            f"The server answered {reply.status}: it wants this asked elsewhere, which medreview does not follow.",
            status=reply.status,
        ), False, None  # fmt: skip
    if 200 <= reply.status < 300 and not (isinstance(reply.data, dict) and reply.data.get("error")):
        why = reply.problem or "The server's answer is not a JSON object."
        return BatchError(f"The server's answer cannot be read. {why}", unsure=True), not once, None
    found = diagnose(reply, parameters)
    assert found is not None, "a reply without an error"
    if found.kind == "parameter":
        return _Declined(found.sentence, status=reply.status), False, None
    if found.kind == "rate_limit":
        return BatchError(found.sentence, status=reply.status), True, found.wait
    if found.kind == "transient":
        return BatchError(found.sentence, status=reply.status, unsure=True), not once, found.wait
    return BatchError(found.sentence, status=reply.status), False, None
