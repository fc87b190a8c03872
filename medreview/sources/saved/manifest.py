"""``manifest.jsonl``: the list of the pages in a folder, one JSON object a line.

A line written by hand needs only:

- ``url``
- ``file`` (relative to the folder), or nothing where there is no page
- ``status`` (200 when not given), ``content_type``, ``final_url``, ``fetched_at`` (ISO date)
- ``error`` in place of a page: ``timeout``, ``connect`` or ``dns``

Lines written by the program also have, where these do not follow from the above: ``chain`` (the redirect chain from
``url`` to ``final_url``), ``state`` and ``detail`` (the result of fetching, as a page state and a sentence; ``status``
is absent or null when no server answered), ``etag`` and ``last_modified``.

A line may repeat the URL of an earlier line and then replaces it, so that the file is append-only.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Final

from medreview.citations.canonical import canonical_key
from medreview.citations.model import Citation
from medreview.errors import UserError
from medreview.labels import GIVEN
from medreview.sources.fetching.fetched import Fetched, http_failure, utc_text
from medreview.storable import unstorable

MANIFEST: Final = "manifest.jsonl"
FETCH_STATES: Final = ("http_error", "timeout", "blocked", "too_large", GIVEN)
"""The page states that are known without reading the page: how the fetch ended, or that nothing was fetched."""

_ERRORS: Final = {
    "timeout": ("timeout", "The server did not answer in time when the page was saved."),
    "connect": ("http_error", "The server could not be reached when the page was saved."),
    "dns": ("http_error", "The host name could not be resolved when the page was saved."),
}


def url_key(url: str) -> str:
    """The canonical form of a URL, by the rule that also decides whether two citations are the same source."""
    return canonical_key(Citation("url", url.strip()))


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One line: the answer for a URL, its body in ``file`` (``None``: no body)."""

    url: str
    file: Path | None
    status: int | None
    content_type: str
    chain: tuple[str, ...]
    fetched_at: str
    state: str | None
    detail: str
    etag: str
    last_modified: str

    def answer(self, url: str, body: bytes) -> Fetched:
        """The answer for a URL (another spelling of the line's URL, perhaps), with the body from the file."""
        chain = (url, *self.chain[1:])
        return Fetched(
            url, chain[-1], chain, self.status, self.content_type, body, self.fetched_at, self.state, self.detail,
            self.etag, self.last_modified,
        )  # fmt: skip


def read_line(line: bytes, where: str, root: Path, saved_at: str) -> ManifestEntry:
    """One line of a manifest; ``where`` names it in messages, ``root`` is the resolved folder.

    ``saved_at`` is the date for a line without date and file. Raises :class:`~medreview.errors.UserError` for a line
    that cannot be read and for a file that is missing or lies outside the folder.
    """
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise UserError(f"{where} is not valid JSON in UTF-8.") from error
    if not isinstance(record, dict):
        raise UserError(f"{where} is not a JSON object.")
    if problem := unstorable(record):
        raise UserError(f"{where} cannot be used: {problem}.")
    url = _text(record, "url", where)
    if not url:
        raise UserError(f'{where} has no "url".')
    error_name = _text(record, "error", where)
    if error_name and error_name not in _ERRORS:
        raise UserError(f'{where} has an unknown "error"; it may be {", ".join(_ERRORS)}.')
    status = record.get("status", None if error_name or "state" in record else 200)
    if status is not None and (type(status) is not int or not 100 <= status <= 999):
        raise UserError(f'{where} has a "status" that is not a number from 100 to 999.')
    name = _text(record, "file", where)
    if not name and not error_name and "state" not in record and status == 200:
        raise UserError(f'{where} has neither a "file" nor an "error" nor a "status" other than 200.')
    file = _inside(root, name, where) if name and not error_name else None
    state, detail = _outcome(record, error_name, status, where)
    return ManifestEntry(
        url=url,
        file=file,
        status=status,
        content_type=_text(record, "content_type", where),
        chain=_chain(record, url, _text(record, "final_url", where) or url, where),
        fetched_at=_fetched_at(_text(record, "fetched_at", where), file, saved_at, where),
        state=state,
        detail=detail,
        etag=_text(record, "etag", where),
        last_modified=_text(record, "last_modified", where),
    )


def written_line(fetched: Fetched, file: str) -> bytes:
    """The line for an answer whose body is in ``file`` (``""``: no body); derivable fields are left out.

    :func:`read_line` restores the answer unchanged (round trip).
    """
    record: dict[str, object] = {"url": fetched.url}
    if file:
        record["file"] = file
    derived = http_failure(fetched.status) if fetched.status is not None else (None, "")
    needs_state = (fetched.state, fetched.detail) != derived or (fetched.status == 200 and not file)
    if fetched.status is not None or not needs_state:
        record["status"] = fetched.status
    if needs_state:
        record |= {"state": fetched.state, "detail": fetched.detail}
    if fetched.content_type:
        record["content_type"] = fetched.content_type
    if fetched.final_url != fetched.url:
        record["final_url"] = fetched.final_url
    if fetched.chain != _short_chain(fetched.url, fetched.final_url):
        record["chain"] = fetched.chain
    record["fetched_at"] = fetched.fetched_at
    if fetched.etag:
        record["etag"] = fetched.etag
    if fetched.last_modified:
        record["last_modified"] = fetched.last_modified
    return json.dumps(record).encode() + b"\n"


def _short_chain(url: str, final_url: str) -> tuple[str, ...]:
    return (url,) if url_key(final_url) == url_key(url) else (url, final_url)


def _chain(record: dict[str, Any], url: str, final_url: str, where: str) -> tuple[str, ...]:
    chain = record.get("chain")
    if chain is None:
        return _short_chain(url, final_url)
    if not isinstance(chain, list) or not chain or not all(isinstance(one, str) for one in chain):
        raise UserError(f'{where} has a "chain" that is not a list of addresses.')
    if chain[0] != url or chain[-1] != final_url:
        raise UserError(f'{where} has a "chain" that does not lead from "url" to "final_url".')
    return tuple(chain)


def _outcome(record: dict[str, Any], error: str, status: int | None, where: str) -> tuple[str | None, str]:
    """Page state and sentence: those of the line, else by its error, else by its status."""
    if "state" in record:
        state = record["state"]
        if state is not None and state not in FETCH_STATES:
            raise UserError(f'{where} has an unknown "state"; it may be {", ".join(FETCH_STATES)}.')
        return state, _text(record, "detail", where) or ("The page was not had when it was saved." if state else "")
    if error:
        return _ERRORS[error]
    return http_failure(status) if status is not None else (None, "")


def _inside(root: Path, name: str, where: str) -> Path:
    """The file with a given name, with symbolic links resolved; it must be inside the folder (no path traversal)."""
    plain = PurePosixPath(name)
    outside = UserError(f"{where} names a file outside the folder ({name}).")
    if plain.is_absolute() or ".." in plain.parts or PureWindowsPath(name).anchor or "\0" in name:
        raise outside
    try:
        file = (root / plain).resolve()
        is_file = file.is_file()
    except (OSError, RuntimeError) as error:
        raise UserError(f"{where} names a file that cannot be found ({name}).") from error
    if not file.is_relative_to(root):
        raise outside
    if not is_file:
        raise UserError(f"{where} names a file that is not in the folder ({name}).")
    return file


def _fetched_at(text: str, file: Path | None, saved_at: str, where: str) -> str:
    if text:
        try:
            return utc_text(datetime.fromisoformat(text))
        except (ValueError, OverflowError) as error:
            raise UserError(f'{where} has a "fetched_at" that is not an ISO date.') from error
    return utc_text(datetime.fromtimestamp(file.stat().st_mtime, UTC)) if file else saved_at


def _text(record: dict[str, Any], key: str, where: str) -> str:
    """A string of a record, ``""`` when it is absent or null."""
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UserError(f'{where} has a "{key}" that is not a text.')
    return value
