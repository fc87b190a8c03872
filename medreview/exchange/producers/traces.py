"""Traces of language models as LangSmith, Langfuse, Phoenix and Weave export them: what went into a run, and what came
out of it.

Of a run and the runs inside it only the outermost is an answer: the others say how it came about.
"""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.imports.json_rows import written_out
from medreview.exchange.producers.evaluated import asked_by, contexts
from medreview.exchange.producers.given import Given, items, member, role_of, text_at, texts_in
from medreview.exchange.producers.producer import Producer

_SIGNS: Final = (
    ("run_type", "inputs", "outputs"),  # LangSmith
    ("op_name", "inputs", "output"),  # Weave
    ("span_kind", "attributes"),  # Phoenix
    ("context", "attributes", "start_time"),  # OpenInference, as Phoenix exports it
    ("projectId", "input", "output"),  # Langfuse, a trace
    ("htmlPath", "input", "output"),
    ("traceId", "input", "output", "startTime"),  # Langfuse, an observation
)
_PARENTS: Final = ("parent_run_id", "parent_id", "parentObservationId", "parentId")
_ASKED: Final = ("question", "query", "input", "user_input", "prompt", "text")
_SAID: Final = ("answer", "output", "response", "result", "completion", "output_text", "text", "content")
_READ: Final = ("context", "contexts", "documents", "source_documents", "source_nodes", "retrieved_contexts")
_TIMES: Final = ("timestamp", "startTime", "start_time", "started_at", "created_at")


def _detect(value: Any) -> bool:
    return isinstance(value, dict) and any(all(name in value for name in names) for names in _SIGNS)


def _records(value: Any, request: Any) -> Iterator[Given]:
    if any(value.get(name) for name in _PARENTS):
        return
    sent, came = _sent(value), _came(value)
    text = _said(came)
    if not text.strip():
        return
    question, turns = _asked(sent)
    read = next(((name, found) for where in (came, sent) for name in _READ if (found := member(where, name))), None)
    cites, texts = contexts(read[1], "contexts") if read else ([], [])
    yield Given(
        response=text,
        question=question,
        turns=turns,
        id=text_at(value, "id") or text_at(value, "context", "span_id"),
        model=_model(value, came),
        created=next((found for name in _TIMES if (found := value.get(name))), None),
        finish=text_at(came, "choices", 0, "finish_reason"),
        cites=cites,
        texts=texts,
        extra={name: value[name] for name in ("name", "tags", "scores", "feedback_stats") if value.get(name)},
    )


def _attribute(value: Any, name: str) -> Any:
    """An attribute of a span, be its name one with dots or a path."""
    attributes = member(value, "attributes")
    found = member(attributes, name)
    return found if found is not None else member(attributes, *name.split("."))


def _sent(value: dict[str, Any]) -> Any:
    found = next((value[name] for name in ("inputs", "input") if value.get(name)), None) or _attribute(
        value, "input.value"
    )
    return written_out(found) if isinstance(found, str) else found


def _came(value: dict[str, Any]) -> Any:
    found = next((value[name] for name in ("outputs", "output") if value.get(name)), None) or _attribute(
        value, "output.value"
    )
    return written_out(found) if isinstance(found, str) else found


def _asked(sent: Any) -> tuple[str, list[Turn]]:
    messages = member(sent, "messages")
    if items(member(messages, 0)):  # LangSmith's batches of one
        messages = messages[0]
    found = messages or next((sent[name] for name in _ASKED if member(sent, name)), None) or sent
    listed = [_plain(one) for one in items(found)]
    question, turns = asked_by(listed or found)
    return question or "\n".join(texts_in(found)), turns


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """A message as role and content: LangChain writes them with their class and its arguments."""
    kwargs = message.get("kwargs")
    if not isinstance(kwargs, dict):
        return message
    kind = text_at(kwargs, "type") or text_at(message, "id", -1).removesuffix("Message").removesuffix("MessageChunk")
    return {"role": role_of(kind), "content": kwargs.get("content")}


def _said(came: Any) -> str:
    """The text of what came out: alone, in an object under a name for it, or the last message of an assistant."""
    if isinstance(came, str):
        return came
    if generated := member(came, "generations", 0, 0) or member(came, "generations", 0):
        return text_at(generated, "text") or text_at(_plain(member(generated, "message") or {}), "content")
    if choice := member(came, "choices", 0, "message"):
        return "\n".join(texts_in(member(choice, "content")))
    messages = [_plain(one) for one in items(member(came, "messages") or came)]
    said = [one for one in messages if role_of(one.get("role") or one.get("type")) == "assistant"]
    if said:
        return "\n".join(texts_in(said[-1].get("content")))
    found = next((came[name] for name in _SAID if member(came, name)), None) if isinstance(came, dict) else None
    return _said(found) if isinstance(found, dict) else "\n".join(texts_in(found))


def _model(value: dict[str, Any], came: Any) -> str:
    return (
        text_at(value, "model")
        or text_at(value, "extra", "metadata", "ls_model_name")
        or text_at(value, "extra", "invocation_params", "model")
        or text_at(came, "model")
        or text_at(came, "llm_output", "model_name")
        or str(_attribute(value, "llm.model_name") or "")
    )


PRODUCER = Producer(
    "LangSmith, Langfuse, Phoenix, Weave",
    "traces exported as JSON or JSON lines; the outermost runs",
    _detect,
    _records,
)
