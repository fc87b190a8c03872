"""Import of batch results: matched by key, read like live answers, stored once (idempotent)."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, Final

from medreview.errors import UserError
from medreview.judges.batch_out import manifests_beside
from medreview.judges.tasks.task import Rows, Task, TaskUnit
from medreview.llm.call import JudgeRequest, ModelAnswer, Status, cache_key
from medreview.llm.completion import read_completion, said
from medreview.llm.costs import cost_of
from medreview.llm.server_errors import diagnose
from medreview.llm.store import CallStore, Row, row_of, write_rows
from medreview.llm.transport import NotJsonError, Reply, decode
from medreview.progress import SILENT, Progress
from medreview.redaction import redact, remember
from medreview.storable import unstorable

_UNITS_AT_ONCE: Final = 200
_LONGEST_LINE: Final = 20_000_000
_UNREADABLE: Final = "medreview: unreadable"
"""In place of a response that goes over a bound: why."""
_NAMED: Final = re.compile(rb'\s*\{(?:\s*"id"\s*:\s*"[\w.-]*"\s*,)?\s*"custom_id"\s*:\s*"([\w.-]{1,200})"', re.ASCII)
_NOT_ASKED: Final = "they are to questions that were not in this batch"
_STATUS_OF_ERROR: Final[dict[str, Status]] = {"refused": "refused", "overflow": "skipped"}


@dataclass(slots=True)
class BatchIn:
    """The summary of an import.

    ``statuses`` count the new results; ``known`` were in the study already. ``foreign`` results answer no question of
    this judge run, and ``why`` is the probable reason; ``bad`` are (file, line, reason) of lines that are not results.
    ``conflicts`` are (file, line, sentence) of answers that differ from one to the same question that is kept: the one
    that the study has, or else the first in the files.
    ``judged`` units have all their answers now, ``abstained`` of them without a verdict; ``waiting`` ones still lack
    answers.
    """

    statuses: dict[str, int] = field(default_factory=dict)
    known: int = 0
    foreign: int = 0
    why: str = ""
    bad: list[tuple[str, int, str]] = field(default_factory=list)
    conflicts: list[tuple[str, int, str]] = field(default_factory=list)
    judged: int = 0
    abstained: int = 0
    waiting: int = 0


def read_batch(
    task: Task,
    paths: Sequence[Path],
    progress: Progress = SILENT,
    *,
    only: Container[str] | None = None,
) -> BatchIn:
    """Import results (and error files) of batches of this judge: complete or partial, in any order, repeatedly.

    ``only``: the cache keys of the questions in the batch that these are the results of; any other result is foreign.

    A usable answer is never replaced, by a later failure or by another answer; the latter is reported as a conflict.
    Raises :class:`UserError` for a file that cannot be read.
    """
    remember(task.settings.key)
    done = BatchIn()
    with ExitStack() as stack:
        results = _Results([stack.enter_context(_open(path)) for path in paths], paths, done, only)
        reader = _ResultReader(task, results, done)
        progress.begin("results", len(results.positions))
        complete: list[tuple[TaskUnit, list[ModelAnswer]]] = []
        for unit in task.pending(again=True):
            answers = reader.answers(unit)
            if answers is not None:
                complete.append((unit, answers))
            if len(complete) >= _UNITS_AT_ONCE or len(reader.rows) >= _UNITS_AT_ONCE:
                progress.step(reader.save(complete))
        progress.step(reader.save(complete))
        left = results.positions.keys() - reader.matched
        done.foreign = results.strange + reader.foreign(left)
    if done.foreign:
        done.why = (
            _NOT_ASKED
            if only is not None
            else _why(task, manifests_beside(list(paths)), done.foreign == len(results.positions))
        )
    done.statuses = dict(reader.statuses.most_common())
    done.waiting = len(task.waiting())
    return done


class _Results:
    """An index of the results in the files; the files themselves are not held in memory."""

    def __init__(
        self, files: Sequence[BinaryIO], paths: Sequence[Path], done: BatchIn, only: Container[str] | None
    ) -> None:
        self._files = files
        self._paths = paths
        self.strange = 0
        self.positions: dict[str, tuple[int, int, int]] = {}
        """By key: index of the file, byte offset in it, number of the line."""
        succeeded: dict[str, bytes] = {}
        for number, (file, path) in enumerate(zip(files, paths, strict=True)):
            for line, offset, result in _lines(file):
                if isinstance(result, str):
                    done.bad.append((str(path), line, result))
                    continue
                key, said = result["custom_id"], _digest(result)
                if only is not None and key not in only:
                    self.strange += 1
                    continue
                if key not in succeeded:
                    self.positions[key] = (number, offset, line)
                elif said and said != succeeded[key]:
                    file_kept, line_kept = self.where(key)
                    kept = f"{file_kept}, line {line_kept}"
                    done.conflicts.append((str(path), line, f"answers the same question differently from {kept}"))
                if said:
                    succeeded.setdefault(key, said)

    def get(self, key: str) -> Mapping[str, Any]:
        """The result with a key of ``positions``."""
        number, offset, _ = self.positions[key]
        self._files[number].seek(offset)
        result = _result(self._files[number].readline(_LONGEST_LINE))
        assert not isinstance(result, str), "the file changed while it was read"
        return result

    def where(self, key: str) -> tuple[str, int]:
        """The file and the line of a result."""
        number, _, line = self.positions[key]
        return str(self._paths[number]), line


class _ResultReader:
    """Reads results as answers, and stores them with the judgements that they complete."""

    def __init__(self, task: Task, results: _Results, done: BatchIn) -> None:
        self._task = task
        self._results = results
        self._done = done
        self._store = CallStore(task.study)
        self.matched: set[str] = set()
        self.statuses: Counter[str] = Counter()
        self.rows: list[Row] = []

    def answers(self, unit: TaskUnit) -> list[ModelAnswer] | None:
        """The answers to all of a unit's requests; ``None`` without a new result, or while some are still missing."""
        keys = [cache_key(self._task.settings, request) for request in unit.requests]
        if not self._results.positions.keys() & set(keys):
            return None
        found = [self._answer(request, key) for request, key in zip(unit.requests, keys, strict=True)]
        answers = [answer for answer in found if answer is not None]
        return answers if len(answers) == len(found) else None

    def save(self, complete: list[tuple[TaskUnit, list[ModelAnswer]]]) -> int:
        """Store what was read since the last call, in one transaction; the number of results."""
        made: list[Rows] = [self._task.rows(unit, answers) for unit, answers in complete]
        rows = self.rows

        def change(connection: Any) -> None:
            write_rows(connection, rows, add=False)
            self._task.save(connection, made)

        self._task.study.write(change)
        self._done.judged += sum(not row.abstained for row in made)
        self._done.abstained += sum(row.abstained for row in made)
        complete.clear()
        self.rows = []
        return len(rows)

    def _answer(self, request: JudgeRequest, key: str) -> ModelAnswer | None:
        stored = self._store.get(key, request.schema)
        is_result = key in self._results.positions
        new = is_result and key not in self.matched
        if is_result:
            self.matched.add(key)
        if stored is not None:
            self._done.known += new
            if new:
                self._compare(key, stored.raw)
            return stored
        if not is_result:
            return None
        answer = self._read(request, key)
        if new and self._is_known(answer):
            self._done.known += 1
        elif new:
            row = row_of(self._task.settings, request, answer)
            if problem := unstorable(row):
                self._done.bad.append((*self._results.where(key), problem))
                return None
            self.statuses[answer.status] += 1
            self.rows.append(row)
        return answer

    def _compare(self, key: str, raw: str) -> None:
        """Report a result that differs from the study's answer."""
        told = said(_response(self._results.get(key)).get("body"))
        if told and told != raw:
            self._done.conflicts.append(
                (*self._results.where(key), "differs from the answer that the study has already")
            )

    def foreign(self, left: set[str]) -> int:
        """The number of unmatched results that are not this judge's; the others are counted as known."""
        foreign = 0
        for key in left:
            row = self._task.study.reader.execute(
                "SELECT status, raw_output FROM llm_call WHERE cache_key = ? AND judge = ? AND prompt_sha256 = ?",
                (key, self._task.run.judge, self._task.run.prompt_sha256),
            ).fetchone()
            foreign += row is None
            self._done.known += row is not None
            if row is not None and row["status"] == "ok":
                self._compare(key, row["raw_output"])
        return foreign

    def _is_known(self, answer: ModelAnswer) -> bool:
        row = self._task.study.reader.execute(
            "SELECT status, raw_output, error FROM llm_call WHERE cache_key = ?", (answer.cache_key,)
        ).fetchone()
        return row is not None and tuple(row) == (answer.status, answer.raw, answer.error)

    def _read(self, request: JudgeRequest, key: str) -> ModelAnswer:
        answer = _answer_in(self._results.get(key), request)
        cost = cost_of(self._task.settings, answer.prompt_tokens, answer.completion_tokens)
        return replace(answer, error=redact(answer.error), cost=cost, tries=1, cache_key=key)


def _answer_in(result: Mapping[str, Any], request: JudgeRequest) -> ModelAnswer:
    """The answer in a result, read like the reply to a live request."""
    response, error = _response(result), result.get("error")
    data = response.get("body")
    if _UNREADABLE in result:
        return ModelAnswer("unparsable", error=f"The answer cannot be read. {result[_UNREADABLE]}")
    if not response:
        message = error.get("message") or error.get("code") if isinstance(error, dict) else error
        return ModelAnswer("error", error=f"The batch has no answer: {message or 'it does not say why'}")
    status = response.get("status_code")
    reply = Reply(status if isinstance(status, int) else 200, {}, data, "")
    server_error = diagnose(reply, ())
    if server_error is not None:
        return ModelAnswer(_STATUS_OF_ERROR.get(server_error.kind, "error"), error=server_error.sentence)
    return read_completion(data, request.schema, request.messages)


def _digest(result: Mapping[str, Any]) -> bytes:
    """What a result answers, as a hash; ``b""`` for a failure."""
    response = _response(result)
    told = said(response.get("body")) if response.get("status_code") == 200 else ""
    return blake2b(told.encode()).digest() if told else b""


def _response(result: Mapping[str, Any]) -> Mapping[str, Any]:
    response = result.get("response")
    return response if isinstance(response, dict) else {}


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}).") from error


def _lines(file: BinaryIO) -> Iterator[tuple[int, int, dict[str, Any] | str]]:
    """Line number, byte offset and result of each line; half a sentence for a line without one."""
    offset = number = 0
    while line := file.readline(_LONGEST_LINE):
        number += 1
        start, offset = offset, offset + len(line)
        if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
            while rest := file.readline(_LONGEST_LINE):
                offset += len(rest)
                if rest.endswith(b"\n"):
                    break
            yield number, start, f"is longer than {_LONGEST_LINE:,} bytes"
        elif line.strip():
            yield number, start, _result(line)


def _text(line: bytes) -> str:
    return line.decode("utf-8-sig")


def _result(line: bytes) -> dict[str, Any] | str:
    try:
        result = decode(_text(line))
    except NotJsonError as error:
        if error.bound:
            if named := _NAMED.match(line):  # it is known which question has no answer of use
                return {"custom_id": named[1].decode("ascii"), _UNREADABLE: str(error)}
            return f"is not read: {str(error)[:1].lower()}{str(error)[1:].rstrip('.')}"
        return "is not a complete JSON object; the file may have been cut off here"
    except UnicodeDecodeError as error:
        return f"is not UTF-8 (byte {error.start:,} of it)"
    if not isinstance(result, dict) or not isinstance(result.get("custom_id"), str):
        return "is not a result of a batch: it has no custom_id"
    if "body" in result and "response" not in result:
        return "is a request, not a result; give the file that the engine wrote"
    around = {**result, "response": {name: told for name, told in _response(result).items() if name != "body"}}
    return unstorable(around) or result


def _why(task: Task, manifests: Iterator[dict[str, Any]], whole: bool) -> str:
    """Whose results they are, or what differs from the most similar manifest, as half a sentence; ``whole``: of all
    the results none belongs to this study."""
    run = task.run
    now = {
        "study_id": task.study.meta("study_id"),
        "judge": run.judge,
        "model": run.model,
        "host": run.params.get("host"),
        "prompt_sha256": run.prompt_sha256,
        "params": {name: value for name, value in run.params.items() if name != "host"},
    }
    names = {"prompt_sha256": "prompt", "params": "parameters"}
    differing, manifest = min(
        (([name for name, value in now.items() if made.get(name) != value], made) for made in manifests),
        key=lambda found: len(found[0]),
        default=([], {}),
    )
    if not manifest:
        which = "none belongs to a question of this study" if whole else "they belong to no question of this study"
        return f"{which}, and no manifest beside the files says to which"
    if "study_id" in differing:
        title = (
            f"{manifest['study']} ({manifest.get('study_id')})" if manifest.get("study") else manifest.get("study_id")
        )
        return f"the batch was written for another study, {title}"
    if not differing:
        return "the texts of the study have changed since the batch was written"
    return f"the batch was written with another {', '.join(names.get(name, name) for name in differing)}"
