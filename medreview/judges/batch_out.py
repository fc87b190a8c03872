"""The requests to a judge as batch files, for offline batch inference.

The format is that of the OpenAI Batch API, which ``vllm run-batch`` reads, too: one request a line, its ``custom_id``
the cache key of the question. A manifest beside the files ties them to the judge run.
"""

import json
import os
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

from medreview.atomic_output import create, new_files, write_new
from medreview.errors import UserError
from medreview.judges.tasks.task import Task
from medreview.llm.call import ResponseFormat, cache_key, params_of, response_format_of
from medreview.llm.costs import answer_tokens_of, cost_of, prompt_tokens_of
from medreview.llm.store import CallStore
from medreview.progress import SILENT, Progress
from medreview.redaction import remember, without_keys
from medreview.storable import storable_text

SHARD_BYTES: Final = 100_000_000
"""Half of the limit of the Batch API; a single request that is longer gets a file of its own."""
SHARD_REQUESTS: Final = 50_000
"""The limit of the Batch API for one file."""
FORMAT: Final = "medreview batch 1"
_URL: Final = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of requests; ``file`` is its name without the folder."""

    file: str
    requests: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BatchOut:
    """The summary of an export.

    ``units`` still wait for the judge; ``known`` of their requests are answered already. Tokens and ``cost`` are
    estimates, by the configured prices; ``manifest`` is its path, ``""`` when there was nothing to write.
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
    """The path of the manifest of a batch: ``FILE.manifest.json``."""
    return path.with_name(path.name + ".manifest.json")


def write_batch(
    task: Task,
    path: Path,
    *,
    shard_bytes: int = SHARD_BYTES,
    form: ResponseFormat = "json_schema",
    again: bool = False,
    limit: int | None = None,
    only: Container[str] | None = None,
    progress: Progress = SILENT,
) -> BatchOut:
    """Write the requests that wait for this judge: to ``path``, then to ``path`` with -2, -3 ... when a file is full.

    All requests have this response format (``form``), and there is no fallback, so choose one that the engine supports.
    ``again`` and ``limit`` as in ``Task.pending``; ``only``: the cache keys of the requests to write. The study
    is not changed. Raises :class:`UserError` when a file exists already or cannot be written.
    """
    settings = task.settings
    remember(settings.key)
    store = CallStore(task.study)
    seen: set[str] = set()
    units = known = prompt = 0
    progress.begin("questions", len(task.asked_about(again=again, limit=limit)))
    with _told(path), new_files(path) as place:
        for existing in (path, manifest_path(path)):
            if os.path.lexists(existing):
                raise UserError(f"{existing} exists already; choose another name.")
        shards = _Shards(place, path.name, shard_bytes)
        for unit in task.pending(again=again, limit=limit):
            units += 1
            for request in unit.requests:
                key = cache_key(settings, request)
                if key in seen or (only is not None and key not in only):
                    continue
                seen.add(key)
                if store.get(key, request.schema) is not None:
                    known += 1
                    continue
                body: dict[str, Any] = {"model": settings.model, "messages": [*map(dict, request.messages)]}
                body |= params_of(settings.params, request)
                if wanted := response_format_of(request, form):
                    body["response_format"] = wanted
                shards.add({"custom_id": key, "method": "POST", "url": _URL, "body": body})
                prompt += prompt_tokens_of(request.messages)
            progress.step()
        shards.finish()
        manifest = _manifest(task, shards.done, form)
        if shards.done:
            write_new(place / manifest_path(path).name, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
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


def _manifest(task: Task, shards: list[Shard], form: ResponseFormat) -> dict[str, Any]:
    run = task.run
    return {
        "format": FORMAT,
        "study_id": task.study.meta("study_id"),
        "study": task.study.meta("title"),
        "judge_run_id": run.judge_run_id,
        "judge": run.judge,
        "model": run.model,
        "host": task.settings.host,
        "prompt_id": run.prompt_id,
        "prompt_sha256": run.prompt_sha256,
        "params": dict(task.settings.params),
        "form": form,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": [{**asdict(shard), "file": storable_text(shard.file)} for shard in shards],
    }


class _Shards:
    """The files in a workplace, filled one after the other; ``done`` are the finished ones."""

    def __init__(self, place: Path, name: str, most_bytes: int) -> None:
        self.done: list[Shard] = []
        self._path = place / name
        self._most = most_bytes
        self._file: BinaryIO | None = None
        self._requests = self._bytes = 0
        self._hash = sha256()

    def add(self, request: dict[str, Any]) -> None:
        """Append a request, to the next file when the current one is full."""
        line = without_keys(json.dumps(request, ensure_ascii=False, separators=(",", ":"))).encode() + b"\n"
        full = self._bytes + len(line) > self._most or self._requests >= SHARD_REQUESTS
        if self._file is not None and full:
            self.finish()
        if self._file is None:
            self._file = create(self._path.with_name(self._name()))
        self._file.write(line)
        self._hash.update(line)
        self._requests += 1
        self._bytes += len(line)

    def finish(self) -> None:
        """Close the current file."""
        if self._file is None:
            return
        self._file.close()
        self._file = None
        self.done.append(Shard(self._name(), self._requests, self._bytes, self._hash.hexdigest()))
        self._requests = self._bytes = 0
        self._hash = sha256()

    def _name(self) -> str:
        """The name of the current file."""
        path, number = self._path, len(self.done) + 1
        return path.name if number == 1 else f"{path.stem}-{number}{path.suffix}"


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Errors of the file system as sentences for who named the file."""
    try:
        yield
    except FileExistsError as error:
        raise UserError(f"{path.with_name(Path(error.filename).name)} exists already; choose another name.") from error
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror or error}).") from error


def manifests_beside(paths: list[Path]) -> Iterator[dict[str, Any]]:
    """The manifests in the folders of these files; other files are skipped."""
    for folder in sorted({path.absolute().parent for path in paths}):
        for path in sorted(folder.glob("*.manifest.json")):
            try:
                manifest = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError, RecursionError):
                continue
            if isinstance(manifest, dict) and manifest.get("format") == FORMAT:
                yield manifest
