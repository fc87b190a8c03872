"""What may come in from another file: events, pages, references and the audit's frame, looked at before it is written.

Every function that looks gives half a sentence on what is wrong, or ``""``. A hash that fits says that a row is as it
was written, not that this program wrote it: what it reads without asking again is looked at here. References come in
with a colleague's decisions on them, and are read by no rules yet.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from math import isfinite
from typing import Any, Final, TypeGuard

from medreview.labels import (
    ADJUDICATED_BY,
    AXES,
    CATEGORY,
    FLAGS,
    PAGE_STATES,
    REASONS,
    SET_APART,
    Label,
    could_be_own,
    is_label,
    is_own,
    is_tag,
    scale_of,
)
from medreview.storable import unstorable
from medreview.study.events import COLUMNS, event_hash
from medreview.study.own_axes import fault_of
from medreview.study.signed_seals import seal_fault
from medreview.study.statement_edits import EXCLUDE, JOIN, SPLIT
from medreview.text import sha256

_CHUNK: Final = 1 << 20


def body_digest(body: bytes) -> str:
    """The SHA-256 of a page as it was served, unpacked piece by piece; ``""`` when it cannot be unpacked."""
    digest, packed = hashlib.sha256(), zlib.decompressobj()
    try:
        while body and not packed.eof:
            digest.update(packed.decompress(body, _CHUNK))
            body = packed.unconsumed_tail
        digest.update(packed.flush())
    except (zlib.error, TypeError):
        return ""
    return digest.hexdigest() if packed.eof and not packed.unused_data else ""


REFERENCE_COLUMNS: Final = (
    "reference_id", "response_id", "ordinal", "start_cp", "end_cp", "standing", "number", "found_at", "text",
    "text_sha256",
)  # fmt: skip


def reference_fault(row: Mapping[str, Any], response: str) -> str:
    """What is wrong with a reference of a response with this text, half a sentence; ``""`` when nothing is.

    Whether its columns are of their types and its standing is one that there is, the table itself asks.
    """
    start, end = row["start_cp"], row["end_cp"]
    if not isinstance(row["text"], str) or unstorable(row["text"]) or sha256(row["text"]) != row["text_sha256"]:
        return "the text does not fit its hash"
    if (start is None) != (end is None):
        return "the place has a start or an end alone"
    if start is not None and not (0 <= start <= end <= len(response) and response[start:end] == row["text"]):
        return "the place in the response does not hold the text"
    return ""


def bare_reading(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that say how a reference is read, for one that no rules of this study have read yet."""
    named = {"text": row["text"], "standing": row["standing"], "number": row["number"]}
    placed = {} if row["start_cp"] is None else {"start": row["start_cp"], "end": row["end_cp"]}
    reading = {name: value for name, value in (named | placed).items() if value is not None}
    return {"parser": "", "reading": json.dumps(reading, ensure_ascii=False), "bare_url": 0}


_ULID: Final = re.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}")
_DOCUMENT: Final = re.compile(r"[a-z]+(:[A-Za-z0-9_.-]+)?")
"""The key of a document of a unit: ``response``, ``source:ID``, ``note:ID``, ``output:2``."""

_TEXTS: Final = (*(name for name in COLUMNS if name not in ("snapshot", "pass", "undoes_event")), "hash")
_BACKGROUND: Final = {"role", "years", "specialty", "words"}
_MOST_DAYS: Final = 36_500

Row = Mapping[str, Any]


def event_fault(event: Row, kinds: Collection[str]) -> str:
    """What is wrong with an event: its columns, its payload as its kind (one of ``kinds``) has it, its hash."""
    for name in _TEXTS:
        if not isinstance(event[name], str):
            return f"its {name} is not a text"
    for name in ("snapshot", "undoes_event"):
        if event[name] is not None and not isinstance(event[name], str):
            return f"its {name} is not a text"
    if wrong := unstorable([event[name] for name in (*_TEXTS, "snapshot", "undoes_event")]):
        return wrong
    if not _ULID.fullmatch(event["event_id"]):
        return "its event_id is not a ULID"
    if not _is_whole(event["pass"]) or not 1 <= event["pass"] < 2**63:
        return "its pass is not a number from 1"
    if event["kind"] not in kinds:
        return "its kind is unknown to this program"
    if event["mode"] not in ("blind", "open"):
        return "its mode is neither blind nor open"
    if not _is_time(event["at_utc"]):
        return "its at_utc is not a time with its zone"
    try:
        payload = json.loads(event["payload"])
    except (ValueError, RecursionError):
        return "its payload is not JSON"
    if not isinstance(payload, dict):
        return "its payload is not a table of values"
    if wrong := unstorable(payload) or _payload_fault(event, payload):
        return f"in its payload {wrong}"
    return "" if event_hash(event) == event["hash"] else "it does not fit its hash"


def _payload_fault(event: Row, payload: Row) -> str:
    match event["kind"]:
        case "decide" | "revise":
            return _label_fault(payload)
        case "reason":
            return _not_one_of(payload, "code", REASONS)
        case "flag":
            on = payload.get("on")
            return _not_one_of(payload, "flag", FLAGS) or (
                "" if isinstance(on, bool) else "on is neither true nor false"
            )
        case "note":
            return _no_text(payload, "text")
        case "adjudicate":
            return _adjudication_fault(payload)
        case "share_rate":
            return _no_text(payload, "kind") or _rate_fault(payload)
        case "span_add":
            if not isinstance(payload.get("target"), str) or not _DOCUMENT.fullmatch(payload["target"]):
                return "target names no document"
            return _no_text(payload, "label", "exact") or _range_fault(payload, payload["exact"])
        case "span_del":
            return _no_text(payload, "span")
        case "finding":
            taken = payload.get("taken")
            fits = _is_whole(payload.get("span")) and isinstance(taken, bool)
            return _no_text(payload, "finding") or ("" if fits else "span and taken do not say what was done")
        case "fact_add":
            return _fact_fault(payload)
        case "promote":
            return _no_text(payload, "response", "text") or _range_fault(payload, payload["text"])
        case "axes":
            return (
                _no_text(payload, "text", "sha256")
                or ("" if sha256(payload["text"]) == payload["sha256"] else "the text does not fit its hash")
                or fault_of(payload["text"])
            )
        case "tag":
            fits = is_tag(payload.get("tag")) and isinstance(payload.get("on"), bool)
            return "" if fits else "tag and on do not say what was done"
        case "guideline" | "consent":
            return _no_text(payload, "text", "sha256") or (
                "" if sha256(payload["text"]) == payload["sha256"] else "the text does not fit its hash"
            )
        case "guideline_read" | "consent_given":
            return _no_text(payload, "sha256")
        case "gold_told":
            return _told_fault(payload.get("labels"))
        case "background":
            return _no_text(payload, "role", "specialty", "words") or (
                ""
                if payload.keys() == _BACKGROUND and _is_years(payload["years"])
                else "years is not a number of years"
            )
        case "sent_anyway":
            texts = payload.get("texts")
            fits = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
            return "" if fits else "texts are not a list of hashes"
        case "declare":
            return _no_text(payload, "field", "text")
        case "seal":
            return seal_fault(payload)
        case "audit_plan":
            return _plan_fault(payload)
        case "draw":
            return _draw_fault(payload)
        case "assign":
            return _assign_fault(payload)
        case "triage_order":
            return _order_fault(payload)
        case "audit_assist":
            return "" if isinstance(payload.get("half"), bool) else "half is neither true nor false"
        case "ranking_draw":
            counts = [payload.get(name) for name in ("seed", "outputs", "eligible", "drawn", "new")]
            fits = all(_is_whole(count) for count in counts) and isinstance(payload.get("types"), list)
            return "" if fits else "seed, types and counts are not what a draw has"
        case "pass_rate":
            return _no_text(payload, "seed") or _share_fault(payload)
        case "split" | "join" | "exclude":
            return _edit_fault(event, payload)
        case "span_move":
            return _no_text(payload, "span", "exact") or _range_fault(payload, payload["exact"])
        case "retract" if event["undoes_event"] is None:
            return "nothing says which event it takes back"
    return ""


def _adjudication_fault(payload: Row) -> str:
    of = payload.get("of")
    if not isinstance(of, list) or len(of) < 2 or not all(isinstance(one, str) for one in of):
        return "of does not name the labels that differ"
    return _label_fault(payload) or (
        "" if payload.get("by") in ADJUDICATED_BY else "by is neither a third reviewer nor an agreement"
    )


def _rate_fault(payload: Row) -> str:
    rate = payload.get("rate")
    fits = isinstance(rate, float | int) and not isinstance(rate, bool) and 0 <= rate <= 1
    if not _is_whole(payload.get("seed")):
        return "seed is not a whole number"
    return "" if fits else "rate is not in [0, 1]"


def _plan_fault(payload: Row) -> str:
    half, labels = payload.get("half_width"), payload.get("labels")
    narrow = isinstance(half, float) and 0 < half < 0.5
    if (half is not None and not narrow) or (labels is not None and not (_is_whole(labels) and labels > 0)):
        return "half_width or labels is not an aim"
    fits = (half is None) != (labels is None) and _is_whole(payload.get("after")) and payload["after"] >= 0
    return "" if fits else "half_width, labels and after are not what a plan has"


def _is_list(values: Any) -> TypeGuard[list[str]]:
    """Whether it is a list of texts, each of them once."""
    return isinstance(values, list) and all(isinstance(one, str) for one in values) and len({*values}) == len(values)


def _draw_fault(payload: Row) -> str:
    strata = payload.get("strata")
    if not isinstance(strata, list) or not all(
        isinstance(one, dict)
        and not _no_text(one, "name")
        and _is_whole(one.get("frame"))
        and _is_whole(one.get("drawn"))
        for one in strata
    ):
        return "strata are not a list of such"
    if not _is_list(payload.get("units")) or not _is_list(payload.get("by")):
        return "units or by is not a list of different texts"
    size, frame = payload.get("size"), payload.get("frame")
    if not _is_whole(frame) or frame < len(payload["units"]) or not (size is None or _is_whole(size)):
        return "size and frame do not hold the units"
    if payload.keys() != _DRAW or payload.get("allot") not in ("share", "equal"):
        return "there is more or less than a draw has"
    return _no_text(payload, "name", "kind", "seed", "where", "frame_sha256")


def _assign_fault(payload: Row) -> str:
    held, overlap = payload.get("batches"), payload.get("overlap")
    if not isinstance(held, dict) or not all(_is_list(units) for units in held.values()):
        return "batches are not lists of units"
    if not _is_list(payload.get("to")) or not _is_list(payload.get("by")) or not {*payload["to"]} <= held.keys():
        return "to or by is not a list of different texts"
    if not _is_whole(payload.get("each")) or not isinstance(overlap, float) or not 0 <= overlap < 1:
        return "each and overlap are not numbers of reviewers"
    if payload.keys() != _ASSIGN or payload.get("order") not in ("own", "same"):
        return "there is more or less than batches have"
    return _no_text(payload, "draw", "seed")


def _order_fault(payload: Row) -> str:
    signs = payload.get("signs")
    if not isinstance(signs, dict) or not all(
        isinstance(one, list) and len(one) == 3 and all(map(_is_number, one)) and one[2] > 0 for one in signs.values()
    ):
        return "signs are not a table of weight, mean and spread"
    if not all(_is_number(payload.get(name)) for name in ("bias", "slope")) or payload.keys() != _ORDER:
        return "there is more or less than an order has"
    fits = isinstance(payload.get("on"), bool) and _is_whole(payload.get("labels")) and payload["labels"] >= 0
    return _no_text(payload, "rules") or ("" if fits else "on and labels do not say what was learned")


_ORDER: Final = {"rules", "on", "labels", "bias", "slope", "signs"}
_DRAW: Final = {
    "name", "kind", "seed", "by", "allot", "size", "where", "frame", "frame_sha256", "strata", "units",
}  # fmt: skip
_ASSIGN: Final = {"draw", "to", "each", "overlap", "order", "by", "seed", "batches"}
_SHAPES: Final = {SPLIT: (1, 2), JOIN: (2, 1), EXCLUDE: (1, 0)}
"""By kind of edit: how many statements it replaces, and how many it makes."""


def _edit_fault(event: Row, payload: Row) -> str:
    replaced, made = payload.get("statements"), payload.get("made")
    if not isinstance(replaced, list) or not isinstance(made, list):
        return "statements or made is not a list"
    if (len(replaced), len(made)) != _SHAPES[event["kind"]] or not all(isinstance(each, str) for each in replaced):
        return "statements and made are not as many as the kind has"
    if replaced[0] != event["unit"] or len({*replaced}) < len(replaced):
        return "statements do not begin with the unit, or are not different ones"
    for one in made:
        parts = one.get("parts") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(parts, list) or _no_text(one, "statement", "text"):
            return "made holds no statement"
        ranges = [part if isinstance(part, list) and len(part) == 2 else (None, None) for part in parts]
        if not all(_is_whole(start) and _is_whole(end) and 0 <= start < end for start, end in ranges):
            return "the parts of what is made are not ranges"
    return _no_text(payload, "response") or (_no_text(payload, "reason") if event["kind"] == EXCLUDE else "")


def _label_fault(payload: Row) -> str:
    axis = payload.get("axis")
    if isinstance(axis, str) and is_own(axis):  # which levels it has, the studies say: own_axes.misfits
        return "" if could_be_own(payload.get("label")) else "label is not a label of an axis of a study's own"
    if not isinstance(axis, str) or scale_of(axis) not in AXES:
        return "axis is unknown to this program"
    if not is_label(axis, payload.get("label")):
        return "label is unknown to this program"
    if (axis, payload["label"]) == ("suggestion", "edited"):
        no_category = _not_one_of(payload, "category", CATEGORY) if "category" in payload else ""
        return _no_words(payload, "text") or no_category
    return ""


def _fact_fault(payload: Row) -> str:
    return _no_text(payload, "case") or _no_words(payload, "text") or _not_one_of(payload, "category", CATEGORY)


def _no_words(payload: Row, name: str) -> str:
    text = payload.get(name)
    return "" if isinstance(text, str) and text and text == text.strip() else f"{name} holds no words"


def _not_one_of(payload: Row, name: str, labels: tuple[Label, ...]) -> str:
    return "" if payload.get(name) in [label.level for label in labels] else f"{name} is unknown to this program"


def _no_text(payload: Row, *names: str) -> str:
    return next((f"{name} is not a text" for name in names if not isinstance(payload.get(name), str)), "")


def _range_fault(payload: Row, text: str) -> str:
    start, end = payload.get("start"), payload.get("end")
    if not _is_whole(start) or not _is_whole(end) or not 0 <= start <= end or end - start != len(text):
        return "start and end do not hold the text"
    return ""


def _told_fault(labels: Any) -> str:
    if not isinstance(labels, list) or not all(isinstance(one, dict) for one in labels):
        return "labels are not a list of such"
    return next((why for one in labels if (why := _no_text(one, "unit") or _label_fault(one))), "")


def _share_fault(payload: Row) -> str:
    share, days = payload.get("share"), payload.get("after_days")
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        return "share is not between 0 and 1"
    return "" if _is_whole(days) and 0 <= days <= _MOST_DAYS else "after_days is not a number of days"


def _is_years(value: Any) -> bool:
    return value is None or (_is_whole(value) and value >= 0)


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def page_fault(page: Row) -> str:
    """What is wrong with a snapshot: its hashes, its page state, the ranges of its headings and parts."""
    if sha256(page["text"]) != page["text_sha256"]:
        return "its text does not fit its hash"
    if body_digest(page["body"]) != page["raw_sha256"]:
        return "its page does not fit its hash"
    if page["page_state"] not in PAGE_STATES:
        return "its page state is unknown to this program"
    shapes: tuple[tuple[str, Callable[[Any], bool]], ...] = (
        ("outline", lambda part: _is_range(part[:2], page["text"]) and len(part) == 3 and _is_whole(part[2])),
        ("set_apart", lambda part: _is_range(part[:2], page["text"]) and len(part) == 3 and part[2] in SET_APART),
        ("page_starts", lambda part: _is_range([part, len(page["text"])], page["text"])),
        ("chain", lambda part: isinstance(part, str)),
    )
    for name, fits in shapes:
        try:
            parts = json.loads(page[name])
            if not isinstance(parts, list) or not all(map(fits, parts)):
                return f"its {name} is not a list of such"
        except (ValueError, TypeError, RecursionError):
            return f"its {name} is not a list of such"
    return ""


def ocr_fault(row: Row, text: str) -> str:
    """What is wrong with what a study says of a page that was read by OCR; ``text`` is that of its snapshot."""
    try:
        doubtful = json.loads(row["doubtful"])
        fits = (
            _is_whole(row["page"])
            and row["page"] >= 1
            and _is_range((row["start_cp"], row["end_cp"]), text)
            and _is_rate(row["confidence"])
            and isinstance(row["engine"], str)
            and isinstance(doubtful, list)
            and all(len(word) == 3 and _is_range(word[:2], text) and _is_rate(word[2]) for word in doubtful)
        )
    except (ValueError, TypeError, RecursionError):
        fits = False
    return "" if fits else "what it says of a page that was read by OCR is unknown to this program"


def _is_rate(number: Any) -> bool:
    return isinstance(number, float | int) and 0 <= number <= 1


def _is_range(part: Any, text: str) -> bool:
    start, end = part
    return _is_whole(start) and _is_whole(end) and 0 <= start <= end <= len(text)


def frame_fault(row: Row) -> str:
    """What is wrong with a statement's place in the audit: a number in [0, 1), a rate in [0, 1], a state by flag."""
    number, rate = row["number"], row["rate"]
    if not isinstance(number, float | int) or not 0 <= number < 1:
        return "its audit number is not in [0, 1)"
    if not _is_rate(rate):
        return "its audit rate is not in [0, 1]"
    if row["flagged"] not in (None, 0, 1, 2):
        return "its state of the audit's strata by flag is unknown"
    return ""
