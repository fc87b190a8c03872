"""The questions to a judge as files for an engine that works through them elsewhere, and in its own time.

The format is that of the OpenAI Batch API, which ``vllm run-batch`` reads too: one request a line, its ``custom_id``
the key under which the study knows the question. Beside the files lies a manifest that ties them to the judge run.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

from medreview.errors import UserError
from medreview.judges.tasks.task import Task, pending
from medreview.llm.call import Rung, cache_key
from medreview.llm.estimate import answer_tokens_of, cost_of, prompt_tokens_of
from medreview.llm.response_format import form_of
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.progress import SILENT, Progress

SHARD_BYTES: Final = 100_000_000
"""Half of what the Batch API takes; a single request that is longer has a file to itself."""
SHARD_REQUESTS: Final = 50_000
"""What the Batch API takes in one file."""
FORMAT: Final = "medreview batch 1"
_URL: Final = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of requests, named without its folder."""

    file: str
    requests: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BatchOut:
    """What was written. ``units`` still wait for the judge; ``known`` of their questions were answered before.

    Tokens and ``cost`` are estimated as before any long run, by the configured prices; ``manifest`` is ``""`` when
    there was nothing to ask.
    """

    units: int
    requests: int
    known: int
    shards: tuple[Shard, ...]
    manifest: str
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def manifest_path(path: Path) -> Path:
    """Where the manifest of a batch lies: ``FILE.manifest.json``."""
    return path.with_name(path.name + ".manifest.json")


def write_batch(
    task: Task,
    settings: JudgeSettings,
    path: Path,
    *,
    shard_bytes: int = SHARD_BYTES,
    form: Rung = "json_schema",
    again: bool = False,
    limit: int | None = None,
    progress: Progress = SILENT,
) -> BatchOut:
    """Write the questions that wait for this judge: ``path``, then ``path`` with -2, -3 ... when one file is full.

    The engine is asked for the answers in this ``form`` and there is no second try, so choose one that it takes.
    ``again`` and ``limit`` as in ``tasks.task.pending``. Nothing in the study changes: ask for the same batch again,
    or judge on in another way. Raises :class:`UserError` when a file is there already or cannot be written.
    """
    store = CallStore(task.study)
    shards = _Shards(path, shard_bytes)
    seen: set[str] = set()
    units = known = prompt = 0
    progress.begin("questions", len(task.waiting(again=again)[:limit]))
    try:
        for unit in pending(task, again=again, limit=limit):
            units += 1
            for ask in unit.asks:
                key = cache_key(settings, ask)
                if key in seen:
                    continue
                seen.add(key)
                if store.get(key, ask.schema) is not None:
                    known += 1
                    continue
                body: dict[str, Any] = {"model": settings.model, "messages": [*map(dict, ask.messages)]}
                body |= settings.params
                if wanted := form_of(ask, form):
                    body["response_format"] = wanted
                shards.add({"custom_id": key, "method": "POST", "url": _URL, "body": body})
                prompt += prompt_tokens_of(ask.messages)
            progress.step()
        shards.finish()
        manifest = _manifest(task, settings, shards.done, form)
        if shards.done:
            with _create(manifest_path(path)) as file:
                file.write(json.dumps(manifest, ensure_ascii=False, indent=1).encode() + b"\n")
    except BaseException:
        shards.discard()
        raise
    requests = sum(shard.requests for shard in shards.done)
    completion = requests * answer_tokens_of(settings)
    return BatchOut(
        units=units,
        requests=requests,
        known=known,
        shards=tuple(shards.done),
        manifest=str(manifest_path(path)) if shards.done else "",
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=cost_of(settings, prompt, completion),
    )


def _manifest(task: Task, settings: JudgeSettings, shards: list[Shard], form: Rung) -> dict[str, Any]:
    run = task.run
    return {
        "format": FORMAT,
        "study_id": task.study.meta("study_id"),
        "judge_run_id": run.judge_run_id,
        "judge": run.judge,
        "model": run.model,
        "host": settings.host,
        "prompt_id": run.prompt_id,
        "prompt_sha256": run.prompt_sha256,
        "params": dict(settings.params),
        "form": form,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": [
            {"file": shard.file, "requests": shard.requests, "bytes": shard.bytes, "sha256": shard.sha256}
            for shard in shards
        ],
    }


class _Shards:
    """Files that are filled one after the other; ``done`` are the finished ones."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        self.done: list[Shard] = []
        self._path = path
        self._most = most_bytes
        self._made: list[Path] = []
        self._file: BinaryIO | None = None
        self._requests = self._bytes = 0
        self._hash = sha256()
        for there in (path, manifest_path(path)):
            if there.exists():
                raise UserError(f"{there} exists already; choose another name.")

    def add(self, request: dict[str, Any]) -> None:
        """One request more, in the next file when this one is full."""
        line = json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        full = self._bytes + len(line) > self._most or self._requests >= SHARD_REQUESTS
        if self._file is not None and full:
            self.finish()
        if self._file is None:
            self._file = self._open()
        self._file.write(line)
        self._hash.update(line)
        self._requests += 1
        self._bytes += len(line)

    def finish(self) -> None:
        """Close the file that is being filled."""
        if self._file is None:
            return
        self._file.close()
        self._file = None
        self.done.append(Shard(self._made[-1].name, self._requests, self._bytes, self._hash.hexdigest()))
        self._requests = self._bytes = 0
        self._hash = sha256()

    def discard(self) -> None:
        """Take away what was written: half a batch would be sent as if it were whole."""
        if self._file is not None:
            self._file.close()
        for path in self._made:
            path.unlink(missing_ok=True)

    def _open(self) -> BinaryIO:
        number = len(self.done) + 1
        name = self._path.name if number == 1 else f"{self._path.stem}-{number}{self._path.suffix}"
        path = self._path.with_name(name)
        file = _create(path)
        self._made.append(path)
        return file


def _create(path: Path) -> BinaryIO:
    """A new file for its owner only: it holds what patients and clinicians wrote."""
    try:
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb", 1 << 16)
    except FileExistsError:
        raise UserError(f"{path} exists already; choose another name.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror or error}).") from error


def manifests_beside(paths: list[Path]) -> Iterator[dict[str, Any]]:
    """The manifests that lie in the folders of these files; what is no manifest of ours is passed over."""
    for folder in sorted({path.absolute().parent for path in paths}):
        for path in sorted(folder.glob("*.manifest.json")):
            try:
                told = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue
            if isinstance(told, dict) and told.get("format") == FORMAT:
                yield told
