"""What the record holds of a marked span."""

from typing import Any

from medreview.text import Span, sha256


def span_payload(
    axis: str, label: str, target: str, text: str, span: Span, *, reason: str = "", with_span: str | None = None,
    finding: tuple[str, int] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The payload of a ``span_add``: a range of a text, its words, its level on an axis, and the hash of the text.

    ``target``: the key of the document. ``with_span``: the event of the span that it clashes with. ``finding``: id and
    number of the machine's span that it was taken over from.
    """
    payload: dict[str, Any] = {
        "axis": axis,
        "label": label,
        "target": target,
        "start": span.start,
        "end": span.end,
        "exact": text[span.start : span.end],
        "sha256": sha256(text),
    }
    payload |= {"reason": reason} if reason else {}
    payload |= {"with": with_span} if with_span else {}
    payload |= {"from_finding": finding[0], "from_span": finding[1]} if finding else {}
    return payload
