"""Inspect's logs of evaluations, as JSON or ``.eval``: samples with what was asked, answered, expected and scored."""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.producers.evaluated import scores
from medreview.exchange.producers.given import (
    Cite,
    Given,
    NoAnswerError,
    Producer,
    asked,
    cited_as,
    items,
    member,
    text_at,
    texts_in,
)

_ATTACHED: Final = re.compile(r"attachment://([0-9a-f]{32})")
_LETTER: Final = re.compile(r"[A-Z]")


def _detect(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    is_log = isinstance(value.get("eval"), dict) and ("samples" in value or "plan" in value)
    return is_log or {"epoch", "input", "output", "messages"} <= value.keys()


def _records(value: Any, request: Any) -> Iterator[Given]:
    about = member(value, "eval")
    samples = items(value.get("samples", [value] if "epoch" in value else []))
    if not samples:
        raise NoAnswerError("has no answer: the log holds no samples")
    epochs = {text_at(sample, "epoch") for sample in samples}
    for sample in samples:
        yield from _answers(sample, about, named_by_epoch=len(epochs) > 1 or value is sample)


def _answers(sample: dict[str, Any], about: Any, *, named_by_epoch: bool) -> Iterator[Given]:
    attached = member(sample, "attachments")

    def whole(text: str) -> str:
        return _ATTACHED.sub(lambda found: text_at(attached, found[1]) or found[0], text)

    question, before = asked(sample.get("input"))
    prompt, _ = asked(sample.get("messages"))
    system = [Turn("system", "\n".join(texts_in(one.get("content"))))
              for one in items(sample.get("messages")) if one.get("role") == "system"]  # fmt: skip
    name = text_at(sample, "id")
    choices = items(member(sample, "output", "choices"))
    for number, choice in enumerate(choices or [{}], 1):
        content = member(choice, "message", "content")
        text, cites = _content(content, whole)
        failed = text_at(sample, "error", "message") or text_at(sample, "output", "error")
        yield Given(
            response=text,
            question=whole(question),
            turns=[Turn(turn.role, whole(turn.text)) for turn in (*system, *before) if turn.text.strip()],
            id=name + f"-{text_at(sample, 'epoch')}" * named_by_epoch + f"-{number}" * (len(choices) > 1),
            question_id=name,
            model=text_at(about, "model") or text_at(sample, "output", "model"),
            created=sample.get("started_at") or text_at(about, "created"),
            finish="failed" if failed and not text.strip() else _finish(text_at(choice, "stop_reason")),
            cites=cites,
            correct=_target(sample),
            left=["reasoning" for part in items(content) if part.get("type") == "reasoning"],
            extra={
                name: told
                for name, told in (
                    ("epoch", sample.get("epoch")),
                    ("task", text_at(about, "task")),
                    ("model_version", text_at(sample, "output", "model")),
                    ("prompt", whole(prompt) if prompt != question else ""),
                    ("scores", scores(sample.get("scores"))),
                    ("metadata", sample.get("metadata")),
                    ("error", failed),
                )
                if told
            },
        )


def _finish(reason: str) -> str:
    return "refusal" if reason == "content_filter" else reason


def _content(content: Any, whole: Any) -> tuple[str, list[Cite]]:
    """The text of a message and what it cites; the places are those in the whole text."""
    if isinstance(content, str):
        return whole(content), []
    text, cites = "", []
    for part in items(content):
        if part.get("type") != "text":
            continue
        text += "\n" if text else ""
        written = whole(text_at(part, "text"))
        for one in items(part.get("citations")):
            cited, title = one.get("cited_text"), text_at(one, "title")
            start, end = (member(cited, 0), member(cited, 1)) if isinstance(cited, list) else (0, len(written))
            placed = isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(written)
            cites.append(
                Cite(
                    cited_as(text_at(one, "url"), title),
                    title,
                    start + len(text) if placed else None,
                    end + len(text) if placed else None,
                    quote=cited if isinstance(cited, str) else "",
                )
            )
        text += written
    return text, cites


def _target(sample: dict[str, Any]) -> str:
    """The right answer; of a letter among choices its words."""
    target, choices = sample.get("target"), sample.get("choices")
    texts = [one for one in (target if isinstance(target, list) else [target]) if isinstance(one, str)]
    if isinstance(choices, list):
        texts = [text_at(choices, ord(text) - ord("A")) or text if _LETTER.fullmatch(text) else text for text in texts]
    return "\n".join(texts)


PRODUCER = Producer("Inspect", "logs of Inspect's evaluations, as JSON or .eval", _detect, _records)
