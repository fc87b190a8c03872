"""The JSON values of a file, whatever holds them: JSON, JSON lines, the saved stream of an API, a zip of these, XML.

What a file is, its bytes say, and never its ending. Zip and XML are opened in a child process with the limits that
pages have (:mod:`medreview.children`), since they may be built to do harm.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from medreview.errors import UserError
from medreview.exchange.imports.document_files import container_of
from medreview.exchange.imports.json_rows import DECODER
from medreview.storable import is_too_deep

_BEGINNING: Final = 1 << 16
_DATA: Final = re.compile(r"data:[ \t]?(.*)")
_STREAM: Final = re.compile(r"\s*(?:(?:event|id|retry):[^\n]*\n|:[^\n]*\n|\s)*data:[ \t]*[\[{]")
ZIP: Final = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Events:
    """The events of a stream, in their order."""

    events: list[Any]


class Value(NamedTuple):
    """A JSON value, or the events of a stream, and its first line in the file."""

    line: int
    value: Any


def values_in(path: Path) -> Iterator[Value] | None:
    """The values of a file; ``None`` for one that holds no JSON, and for JSON that is broken, which the reader of plain
    records refuses with the place of the fault. Raises :class:`UserError` for a zip or XML that cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(_BEGINNING)
    except OSError:
        return None
    if container_of(start) is not None:
        return None
    if start.startswith(ZIP):
        return _read_in_child(path)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"):
        return _read_in_child(path)
    try:
        beginning = start.decode("utf-8-sig", "ignore")
    except ValueError:
        return None
    if _STREAM.match(beginning):
        return _stream(path)
    return _json(path) if beginning.lstrip()[:1] in ("{", "[") else None


def _stream(path: Path) -> Iterator[Value] | None:
    events = events_in(path.read_text(encoding="utf-8-sig", errors="replace"))
    return iter([Value(1, Events(events))]) if events else None


def events_in(text: str) -> list[Any]:
    """The JSON values in the text of a stream; what is cut off at its end is left out."""
    events = []
    for block in re.split(r"\r?\n\r?\n", text):
        data = "\n".join(found[1] for line in block.splitlines() if (found := _DATA.match(line)))
        if data.strip() and data.strip() != "[DONE]":
            try:
                events.append(DECODER.decode(data))
            except (ValueError, RecursionError):
                continue  # the last event of a stream that was cut
    return events


def _json(path: Path) -> Iterator[Value] | None:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        first = next((line for line in file if line.strip()), "")
        more = any(line.strip() for line in file)
    try:
        value = DECODER.decode(first)
        if more:
            return iter([Value(1, Events([one.value for one in _lines(path)]))]) if _is_piece(value) else _lines(path)
        return iter(() if is_too_deep(value) else [Value(1, value)])
    except (ValueError, RecursionError):
        pass
    try:
        value = DECODER.decode(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return None if is_too_deep(value) else iter([Value(1, value)])


_BEGINS: Final = ("message_start", "message-start", "response.created", "stream-start")
"""What the first event of a stream calls itself."""


def _is_piece(value: Any) -> bool:
    """Whether a line is the first piece of a stream: of one that says so, or of an answer that has no end yet."""
    if not isinstance(value, dict):
        return False
    begins = value.get("type") in _BEGINS or value.get("event_type") in _BEGINS or "messageStart" in value
    if begins or value.get("done") is False or value.get("object") == "chat.completion.chunk":
        return True
    candidates = value.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    return isinstance(first, dict) and "content" in first and not first.get("finishReason")


def _lines(path: Path) -> Iterator[Value]:
    """The values of JSON lines; a line that is not JSON is :class:`Broken`."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                value = DECODER.decode(line)
            except (ValueError, RecursionError):
                yield Value(number, Broken("is not complete JSON"))
                continue
            yield Value(number, Broken("has lists too deep to read") if is_too_deep(value) else value)


class Broken(NamedTuple):
    """Stands for a value that cannot be read; ``reason`` is half a sentence."""

    reason: str


def _read_in_child(path: Path) -> Iterator[Value] | None:
    """The JSON files of a zip, or XML as nested objects."""
    from medreview.children.asking import NotReadError, ReadingLimits, ask
    from medreview.event_loop import run_to_end

    limits = ReadingLimits(memory=2_000_000_000, cpu_seconds=120, answer=500_000_000)
    if path.stat().st_size > LARGEST:
        raise UserError(f"{path} has more than {LARGEST // 1_000_000} MB; unpack it and import the file that you need.")
    body = path.read_bytes()
    found: list[dict[str, Any]] = []
    asking = ask("containers", {}, body, limits, found.append, f"{path.name}")
    try:
        run_to_end(asking)
    except NotReadError as error:
        raise UserError(f"{path} cannot be read. {error}") from None
    if refused := next((part["refused"] for part in found if "refused" in part), ""):
        raise UserError(f"{path} {refused}.")
    texts = [(part["name"], part["json"]) for part in found if "json" in part]
    if texts:
        return (Value(1, value) for value in _joined(texts))
    return iter([Value(1, part["xml"]) for part in found if "xml" in part])


def _joined(texts: list[tuple[str, str]]) -> Iterator[Any]:
    """The values of the JSON files of a zip; of a log in parts its head with the samples in it, as Inspect's JSON has
    it."""
    head = next((json.loads(text) for name, text in texts if name == "header.json"), None)
    samples = (json.loads(text) for name, text in texts if name.startswith("samples/"))
    if isinstance(head, dict):
        yield {**head, "samples": list(samples)}
    yield from (json.loads(text) for name, text in texts if head is None or not name.startswith(("header", "samples/")))


LARGEST: Final = 300_000_000
"""Bytes of a zip or XML file that are read."""
_MOST: Final = 400_000_000
"""Bytes of all that is unpacked from a zip."""
_MOST_MEMBERS: Final = 20_000
_WANTED: Final = re.compile(
    r"(?:^|/)(?:conversations(?:-\d+)?\.json|header\.json|samples/[^/]+\.json)\Z|^[^/]+\.json\Z"
)
"""The members of a zip that may hold answers: those of ChatGPT's and Claude's exports and of Inspect's logs, and JSON
files beside no folder."""
_CHATS: Final = re.compile(r"(?:^|/)conversations(?:-\d+)?\.json\Z")
"""Members that hold all answers of a zip that has one."""
_BESIDE: Final = re.compile(
    r"(?:^|/)(?:users?|projects|memories|message_feedback|shared_conversations|summaries|reductions|export_manifest"
    r"|user_settings|_journal/.*)\.json\Z"
)
"""Members of these that hold none."""


def answer_container(wanted: dict[str, Any], body: bytes) -> Iterator[dict[str, Any]]:
    """What a child answers: the JSON texts of a zip, one a part, or the tree of an XML; a part ``refused`` says why it
    reads none. It may take any time and memory, which the child's limits bound."""
    if body.startswith(ZIP):
        yield from _unzipped(body)
        return
    from medreview.sources.reading.untrusted_markup import parse_xml

    root, _ = parse_xml(body, "application/xml")
    if root is None:
        yield {"refused": "is XML that is broken, or built to do harm"}
        return
    yield {"xml": _tree(root)}


def _unzipped(body: bytes) -> Iterator[dict[str, Any]]:
    import zipfile
    from io import BytesIO

    try:
        archive = zipfile.ZipFile(BytesIO(body))
        members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        yield {"refused": "is a zip file that is broken; copy or save it again"}
        return
    wanted = [one for one in members if _WANTED.search(one.filename) and not _BESIDE.search(one.filename)]
    wanted = [one for one in wanted if _CHATS.search(one.filename)] or wanted
    if len(members) > _MOST_MEMBERS or not wanted:
        what = "has too many files in it" if wanted else "is a zip file without the conversations of a chat or a log"
        yield {"refused": f"{what}; unpack it and import the file that you need"}
        return
    left = _MOST
    for one in wanted:
        try:
            with archive.open(one) as file:
                data = file.read(left + 1)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, ValueError) as error:
            locked = (
                "is encrypted" if one.flag_bits & 1 else f"has a part that cannot be unpacked ({type(error).__name__})"
            )
            yield {"refused": f"{locked}; unpack it and import the file that you need"}
            return
        left -= len(data)
        if left < 0:
            yield {"refused": f"would unpack to more than {_MOST // 1_000_000} MB; unpack it and import what you need"}
            return
        text = data.decode("utf-8-sig", "replace")
        try:
            value = DECODER.decode(text)
        except (ValueError, RecursionError):
            continue
        if not is_too_deep(value):
            yield {"name": one.filename, "json": text}


def _tree(element: Any) -> dict[str, Any]:
    """An element as an object: tag, attributes, text, children; the text behind a child is the child's tail."""
    return {
        "tag": element.tag if isinstance(element.tag, str) else "",
        "attributes": {str(name): str(value) for name, value in element.attrib.items()},
        "text": element.text or "",
        "children": [{**_tree(child), "tail": child.tail or ""} for child in element if isinstance(child.tag, str)],
    }
