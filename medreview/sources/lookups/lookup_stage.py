"""Querying a service about many URLs or domains; answers are stored in the study and read from there without a network.

A failure is stored as well, so that the figures can count it; it is retried the next time.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Protocol

from medreview.citations.citation import domain
from medreview.event_loop import run_to_end
from medreview.progress import SILENT, Progress
from medreview.sources.fetching.network import Fetched, Network, Request
from medreview.study import Study

Kind = Literal["archive", "registry"]

FAILED: Final = "failed"
"""The key of a stored failure; its value is a sentence that says why."""
_MOST_BYTES: Final = 1_000_000
LONGEST_REASON: Final = 300
GIVE_UP_AFTER: Final = 10
"""A service that fails so often in a row is asked no more."""

_STORE_ANSWER: Final = """INSERT INTO lookup (kind, key, at_utc, answer) VALUES (?, ?, ?, ?)
ON CONFLICT (kind, key) DO UPDATE SET at_utc = excluded.at_utc, answer = excluded.answer"""


class NoAnswerError(Exception):
    """The response is not an answer in the service's format; the message is one plain sentence."""


class LookupService(Protocol):
    """A service that can be queried: the URL of a query, and how to read the response."""

    kind: Kind

    def address(self, key: str) -> str:
        """The URL of the query for a key."""

    def read(self, key: str, fetched: Fetched) -> str | dict[str, Any]:
        """The answer as it is stored, or the URL of a further query for the key. Raises :class:`NoAnswerError`."""


@dataclass(frozen=True, slots=True)
class LookupSummary:
    """Counts: ``asked`` now, ``failed`` among these, ``known`` from earlier runs, ``left`` to ask.

    ``stopped`` is a sentence that says why any is left, else ``""``.
    """

    asked: int
    failed: int
    known: int
    left: int = 0
    stopped: str = ""


def stored(reader: sqlite3.Connection, kind: Kind) -> dict[str, dict[str, Any]]:
    """The stored answers of one kind, by key; a failure is ``{"failed": sentence}``."""
    rows = reader.execute("SELECT key, answer FROM lookup WHERE kind = ?", (kind,))
    found = ((row["key"], json.loads(row["answer"])) for row in rows)
    return {key: answer for key, answer in found if isinstance(answer, dict)}


def ask(
    study: Study, service: LookupService, keys: Sequence[str], *, network: "Network", progress: Progress = SILENT
) -> LookupSummary:
    """Query a service for every key that has no answer yet; each answer is stored as it arrives.

    Stops when the service itself fails ten times in a row. Raises :class:`~medreview.errors.UserError` when the study
    cannot be written.
    """
    from medreview.sources.fetching.fetch import fetch_all

    # A service is a programming interface: robots exclusion is for crawlers, not for its clients.
    limits = replace(network.limits, max_bytes=min(network.limits.max_bytes, _MOST_BYTES))
    network = replace(network, limits=limits, respect_robots=False)
    known = stored(study.reader, service.kind)
    wanted = [key for key in dict.fromkeys(keys) if FAILED in known.get(key, {FAILED: ""})]
    progress.begin(service.kind, len(wanted))
    run = _Run(study, service, progress)
    requests = [Request(service.address(key), token=key) for key in wanted]
    stopped = ""
    try:
        run_to_end(fetch_all(requests, on_done=run.take, network=network))
    except _ServiceDownError as down:
        stopped = f"{down} Stopped after {GIVE_UP_AFTER} failures in a row; the same command goes on from there."
    left = len(wanted) - run.asked
    return LookupSummary(run.asked, run.failed, len(set(keys)) - len(wanted), left, stopped)


class _ServiceDownError(Exception):
    """Too many failures of the service in a row; the message is the last one."""


class _Run:
    def __init__(self, study: Study, service: LookupService, progress: Progress) -> None:
        self._study = study
        self._service = service
        self._progress = progress
        self._consecutive_failures = 0
        self.asked = self.failed = 0

    async def take(self, request: "Request", fetched: Fetched) -> "Request | None":
        """Store the answer for one key, or return the next request for it."""
        try:
            answer = self._service.read(request.token, fetched)
        except NoAnswerError as error:
            answer = {FAILED: str(error)[:LONGEST_REASON]}
        if isinstance(answer, str):
            return replace(request, url=answer)
        kept = (self._service.kind, request.token, fetched.fetched_at, json.dumps(answer))
        self._study.write(lambda connection: connection.execute(_STORE_ANSWER, kept))
        self._progress.step()
        self.asked += 1
        self.failed += FAILED in answer
        is_own_failure = domain(fetched.final_url) == domain(self._service.address(request.token))
        if FAILED not in answer:
            self._consecutive_failures = 0
        elif is_own_failure:
            self._consecutive_failures += 1
            if self._consecutive_failures == GIVE_UP_AFTER:
                raise _ServiceDownError(answer[FAILED])
        return None


def json_object(fetched: Fetched) -> dict[str, Any]:
    """The JSON object of a response with status 2xx; raises :class:`NoAnswerError` for anything else."""
    if fetched.state is not None:
        raise NoAnswerError(fetched.detail or f"{domain(fetched.final_url)} gave no answer.")
    try:
        found = json.loads(fetched.body)
    except (ValueError, RecursionError):
        raise no_answer(fetched) from None
    if not isinstance(found, dict):
        raise no_answer(fetched)
    return found


def no_answer(fetched: Fetched) -> NoAnswerError:
    """The error for a response that is not in the service's format."""
    return NoAnswerError(f"{domain(fetched.final_url)} answered with something else than was asked for.")


def mapping(value: object) -> Mapping[str, Any]:
    """A JSON object, or an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def plain(value: object) -> str:
    """A text, or an empty one in place of anything else."""
    return value if isinstance(value, str) else ""


def sequence(value: object) -> Sequence[Any]:
    """A JSON array, or an empty one in place of anything else."""
    return value if isinstance(value, list) else ()
