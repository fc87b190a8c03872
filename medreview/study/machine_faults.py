"""What judges, rules and services said: looked at, row by row, before it comes from another file, and by ``check``.

As in ``incoming``, every function that looks gives half a sentence on what is wrong, or ``""``. Places in texts are
held against the texts that this study has; what it does not have is held against what comes along.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from medreview.labels import QUOTE_DOUBTS, QUOTE_STATUSES, is_label
from medreview.storable import unstorable
from medreview.study.ids import judge_run_id

Row = Mapping[str, Any]


class TextsHere(NamedTuple):
    """The texts of pages, responses and statements by their ids; each raises ``LookupError`` where there is none.

    ``read_check`` reads how a reference compares with what was found, and raises ``ValueError`` where it cannot.
    """

    page: Callable[[str], str]
    response: Callable[[str], str]
    statement: Callable[[str], str]
    read_check: Callable[[object], object]


def run_fault(row: Row, _: TextsHere) -> str:
    """What is wrong with a judge's run: its id is made of all that it is."""
    params = json.loads(row["params"])
    if not isinstance(params, dict) or unstorable(params):
        return "its parameters are not a table of values"
    own = judge_run_id(row["judge"], row["kind"], row["model"], row["prompt_id"], row["prompt_sha256"], params)
    return "" if own == row["judge_run_id"] else "it does not fit its id"


def judgement_fault(row: Row, texts: TextsHere) -> str:
    """What is wrong with a judge's word on a statement and a page."""
    text = texts.page(row["snapshot_id"])
    ranges = [json.loads(row["quote_more"]), [one["source"] for one in json.loads(row["differences"])]]
    if not all(_all_inside(some, text) for some in ranges):
        return "a place of its quote is not in the page"
    whole = _whole_fault(row, texts) or said_fault(row)
    return whole or _quote_fault(row, text, ranges[0]) or _quotes_fault(row, lambda _: text)


def said_fault(row: Row) -> str:
    """What is wrong with a verdict on the evidence axis, its two-way form and the judge's confidence."""
    if row["verdict"] is not None and not is_label("evidence", row["verdict"]):
        return "its verdict is unknown to this program"
    if row["supported"] not in (None, 0, 1) or (row["verdict"] == "supported") != (
        row["supported"] == 1 and row["verdict"] is not None
    ):
        return "its verdict and whether that is support do not fit"
    return unstorable(row["confidence"])


def _quote_fault(row: Row, text: str, more: Sequence[Any] = ()) -> str:
    """What is wrong with its only quote, and the places of several; ``more``: where else it stands."""
    if row["quote_status"] not in QUOTE_STATUSES:
        return "the status of its quote is unknown to this program"
    start, end = row["quote_start"], row["quote_end"]
    if (start is None) != (end is None) or (start is not None and not _is_inside((start, end), text)):
        return "its quote is not in the text"
    of_one = start is not None and row.get("quotes", "[]") == "[]"
    return _elsewhere(row["quote"], row["quote_status"], [(start, end), *more], text) if of_one else ""


def _elsewhere(quote: str, status: str, places: Sequence[Any], text: str) -> str:
    """Whether a quote that is said to be there word for word is not, in one of these places of a text."""
    wrong = status == "exact" and any(text[start:end] != quote.strip() for start, end in places)
    return "its quote does not stand where it is said to stand" if wrong else ""


def merged_fault(row: Row, texts: TextsHere) -> str:
    """What is wrong with a judge's word on a statement by all pages together."""
    for page in json.loads(row["snapshots"]):
        texts.page(page)
    whole = _whole_fault(row, texts) or said_fault(row)
    return whole or _quotes_fault(row, lambda quote: texts.page(quote["snapshot"]))


def _whole_fault(row: Row, texts: TextsHere) -> str:
    """What is wrong with what an answer says as a whole, by one page or by several together."""
    if row["quote_doubt"] not in (None, "", *QUOTE_DOUBTS):
        return "what speaks against its quote is unknown to this program"
    if not _all_inside(json.loads(row["missing_at"]), texts.statement(row["statement_id"])):
        return "what the page does not state is not in the statement"
    return ""


def _quotes_fault(row: Row, page: Callable[[Row], str]) -> str:
    """What is wrong with one of several quotes; ``page``: the text in which it is to stand."""
    for quote in json.loads(row["quotes"]):
        if quote["status"] not in QUOTE_STATUSES:
            return "the status of its quote is unknown to this program"
        text = page(quote) if quote["spans"] else ""
        if not _all_inside(quote["spans"], text):
            return "a place of its quote is not in the page"
        if wrong := _elsewhere(quote["quote"], quote["status"], quote["spans"], text):
            return wrong
    return ""


def finding_fault(row: Row, texts: TextsHere) -> str:
    """What is wrong with what a judge found in a whole response."""
    if row["type"] is not None and not is_label("hallucination", row["type"]):
        return "its type is unknown to this program"
    text = texts.response(row["response_id"])
    for quote in json.loads(row["spans"]):
        if quote["status"] not in QUOTE_STATUSES or not _all_inside(quote["spans"], text):
            return "a place of its quote is not in the response"
        if wrong := _elsewhere(quote["quote"], quote["status"], quote["spans"], text):
            return wrong
    return "" if row["found"] in (None, 0, 1) else "what it found is unknown to this program"


def vote_fault(row: Row, texts: TextsHere) -> str:
    """What is wrong with a judge's vote on a key fact in a response."""
    if row["answer"] not in (None, 0, 1):
        return "its answer is unknown to this program"
    return _quote_fault(row, texts.response(row["response_id"]))


def opinion_fault(row: Row, _: TextsHere) -> str:
    """What is wrong with a machine's word on a unit."""
    if row["label"] is not None and not is_label(row["axis"], row["label"]):
        return "its label is unknown to this program"
    return unstorable(row["confidence"])


def evidence_fault(row: Row, texts: TextsHere) -> str:
    """What is wrong with what the rules found for a statement in a page."""
    page = texts.page(row["snapshot_id"])
    if not _all_inside(json.loads(row["highlights"]) + json.loads(row["lexical"]), page):
        return "a place is not in the page"
    for clash in json.loads(row["clashes"]):
        inside = _is_inside(clash["source"], page) and _is_inside(
            clash["statement"], texts.statement(row["statement_id"])
        )
        if not inside or not isinstance(clash["kind"], str):
            return "a clash is not of these texts"
    if not _all_inside(json.loads(row["lacking"]), texts.statement(row["statement_id"])):
        return "a place is not in the statement"
    signs = json.loads(row["signs"])
    if not isinstance(signs, list) or not all(sign is None or isinstance(sign, float | int) for sign in signs):
        return "its signs are not numbers"
    return unstorable([row["unsupported"], row["blended"], signs])


def check_fault(row: Row, texts: TextsHere) -> str:
    """What is wrong with how a reference compares with what was found."""
    result = json.loads(row["result"])
    if wrong := unstorable(result):
        return wrong
    texts.read_check(result)
    # A copy without verdicts has an empty one, and a result without an opinion.
    return "" if result.get("verdict") == (row["verdict"] or "not_checkable") else "its result has another verdict"


def call_fault(row: Row, _: TextsHere) -> str:
    """What is wrong with a model's answer and what it cost."""
    numbers = [row[name] for name in ("tries", "prompt_tokens", "completion_tokens", "latency_ms", "cost")]
    if any(number is not None and number < 0 for number in numbers):
        return "a count or its cost is below 0"
    return unstorable(numbers)


def no_fault(row: Row, _: TextsHere) -> str:
    """Nothing more than what the table itself asks, and values that can be stored."""
    return unstorable([value for value in row.values() if not isinstance(value, bytes)])


def _all_inside(ranges: Any, text: str) -> bool:
    return isinstance(ranges, list) and all(_is_inside(part, text) for part in ranges)


def _is_inside(part: Any, text: str) -> bool:
    start, end = part
    return type(start) is int and type(end) is int and 0 <= start <= end <= len(text)
