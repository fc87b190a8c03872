"""Batches at a server with ``/v1/files`` and ``/v1/batches``: what can be asked of it, one request each."""

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from medreview.bounded_body import EncodingRefusedError, encoding_of
from medreview.errors import UserError
from medreview.event_loop import run_to_end
from medreview.llm.batch_state import METADATA, Batch, BatchError, batch_of, id_of
from medreview.llm.server_errors import diagnose
from medreview.llm.settings import JudgeSettings
from medreview.llm.transport import Reply, TimedOut, Unreachable, answered, connect, whole
from medreview.redaction import remember

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_TRIES: Final = 4
_SLOWEST_BACKOFF: Final = 8.0
_LONGEST_WAIT: Final = 120.0
_SLOWEST_LINE: Final = 100_000
"""Bytes a second; a transfer that is slower than this, and takes longer than the ``timeout`` as well, is given up."""
_PAGES: Final = 100
_PAGE: Final = 100


class BatchServer:
    """The server of a judge or a model that writes. Every method raises :class:`BatchError`, and :class:`UserError`
    without the model's key.

    What can be repeated without harm is tried again after failures of the connection or the server; ``backoff`` are the
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

            return id_of(self._asked("upload", request, seconds=seconds), "id", "the file that was uploaded")

    def uploaded(self, name: str, size: int) -> str:
        """The id of a file that was uploaded under this name and has so many bytes; ``""`` when there is none.

        A server that changes names, as proxies do, has none of it: it is uploaded again then.
        """
        for file in self._listed(lambda client, query: client.files.with_streaming_response.list(extra_query=query)):
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
            return batch_of(self._asked("create", request(True), once=True, parameters=("metadata",)))
        except _Declined:
            return batch_of(self._asked("create", request(False), once=True))

    def created(self, file_id: str, job: str) -> Batch | None:
        """The batch of an uploaded file or with our id in its metadata; ``None`` when there is none."""
        for batch in self._listed(lambda client, query: client.batches.with_streaming_response.list(extra_query=query)):
            metadata = batch.get("metadata")
            ours = isinstance(metadata, dict) and metadata.get(METADATA) == job
            if ours or batch.get("input_file_id") == file_id:
                return batch_of(batch)
        return None

    def batch(self, batch_id: str) -> Batch:
        """How a batch stands now."""
        return batch_of(
            self._asked(
                "batch",
                lambda client: client.batches.with_streaming_response.retrieve(batch_id, extra_query=self._fields),
            )
        )

    def cancel(self, batch_id: str) -> Batch:
        """Ask the server to do no more of a batch; what it has done stays."""
        return batch_of(
            self._asked(
                "cancel",
                lambda client: client.batches.with_streaming_response.cancel(batch_id, extra_query=self._fields),
            )
        )

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
            "content",
            lambda client: client.files.with_streaming_response.content(file_id, extra_query=self._fields),
            seconds=seconds, read=read,
        )  # fmt: skip
        file.flush()
        return size

    def delete(self, file_id: str) -> None:
        """Delete a file at the server; one that is not there any more is no error."""
        try:
            self._asked(
                "delete",
                lambda client: client.files.with_streaming_response.delete(file_id, extra_query=self._fields),
            )
        except BatchError as error:
            if not error.absent:
                raise

    def _listed(
        self, request: Callable[["AsyncOpenAI", dict[str, Any]], AbstractAsyncContextManager[Any]]
    ) -> Iterator[dict[str, Any]]:
        """The items of a list, page by page; ends where a page brings nothing new, whatever the server says.

        Raises :class:`BatchError` for a list that goes on and on: what is not in it so far may be in it all the same.
        """
        after, seen = "", set[str]()
        for _ in range(_PAGES):
            query = {**self._fields, "limit": str(_PAGE), **({"after": after} if after else {})}
            told = self._asked("list", partial(_with_query, request, query))
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

    def _asked(
        self,
        what: str,
        request: Callable[["AsyncOpenAI"], AbstractAsyncContextManager[Any]],
        *,
        once: bool = False,
        seconds: float | None = None,
        parameters: tuple[str, ...] = (),
        read: Callable[[Any], Any] = whole,
    ) -> Any:
        """The JSON of a good reply; ``once``: not repeated where the first request may have had its effect."""
        return run_to_end(self._answer(what, request, once, seconds or self._settings.timeout, parameters, read))

    async def _answer(
        self,
        what: str,
        request: Callable[["AsyncOpenAI"], AbstractAsyncContextManager[Any]],
        once: bool,
        seconds: float,
        parameters: tuple[str, ...],
        read: Callable[[Any], Any],
    ) -> Any:
        async with connect(self._settings, files=what == "content") as client:
            tries = 0
            while True:
                tries += 1
                wait: float | None = None
                try:
                    reply = await answered(request(client), seconds, read)
                except (TimedOut, Unreachable) as error:
                    failed, again = BatchError(str(error), unsure=True), not once
                else:
                    if 200 <= reply.status < 300 and isinstance(reply.data, dict) and not reply.data.get("error"):
                        return reply.data
                    failed, again, wait = _failure(reply, parameters, once)
                if not again or tries >= _TRIES or (wait or 0) > _LONGEST_WAIT:
                    raise failed
                pause = min(_SLOWEST_BACKOFF, self.backoff * 2 ** (tries - 1)) * random.uniform(0.75, 1)
                await asyncio.sleep(max(pause, wait or 0.0))


def _with_query(
    request: Callable[["AsyncOpenAI", dict[str, Any]], AbstractAsyncContextManager[Any]],
    query: dict[str, Any],
    client: "AsyncOpenAI",
) -> AbstractAsyncContextManager[Any]:
    return request(client, query)


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
        why = reply.problem or "What came back is no JSON object."
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
