"""Logs of evaluations and of tracing: what was asked, what was read for the answer, what was answered and scored."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.imports.json_rows import DECODER, is_table, records_in, written_out
from medreview.exchange.imports.listed_citations import given_pages
from medreview.exchange.producers.conversation import each_answer, spoken
from medreview.exchange.producers.given import (
    Cite,
    CitedText,
    Conversation,
    Form,
    Given,
    NoAnswerError,
    Producer,
    asked,
    cited_as,
    has,
    items,
    member,
    rest,
    role_of,
    text_at,
    texts_in,
)


def _contexts(value: Any, field: str) -> tuple[list[Cite], list[CitedText]]:
    """The texts that an answer was given to read, as sources of it and as their texts; none of anything else.

    ``value``: texts, or documents in any shape that :func:`~medreview.exchange.imports.listed_citations.given_pages`
    knows; ``field`` is the name of the field that they are in.
    """
    try:
        pages = [page for page in given_pages([value] if isinstance(value, str) else value, field) if page.text]
    except ValueError:
        return [], []
    cited = {page.address: Cite(page.address, page.title) for page in pages}
    return list(cited.values()), [CitedText(page.address, page.text, page.title, page.whole) for page in pages]


def _asked_by(prompt: Any) -> tuple[str, list[Turn]]:
    """The question of a prompt and the turns before it: a text, messages, or messages written out as JSON."""
    if isinstance(prompt, str):
        written = written_out(prompt)
        listed = member(written, "messages") or written
        prompt = listed if any("role" in one for one in items(listed)) else prompt
    return asked(member(prompt, "messages") or prompt)


def _scores(value: Any) -> dict[str, Any]:
    """The scores of a list or an object of metrics, by name, each with its reason where it has one."""
    named = value.items() if isinstance(value, dict) else ((text_at(one, "name"), one) for one in items(value))
    return {name: _score(one) for name, one in named if name and one is not None}


def _score(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    found = next((value[name] for name in ("score", "value", "success") if value.get(name) is not None), None)
    reason = text_at(value, "reason|explanation|comment")
    return {"score": found, "reason": reason} if reason else found


def _numbered(answers: Sequence[Given], name: str) -> Iterator[Given]:
    """Several answers of one record, by its name and a number."""
    for number, one in enumerate(answers, 1):
        one.id = f"{name}-{number}" if name and len(answers) > 1 else name
        yield one


_LABELS: Final = ("choices", "rating", "text", "taxonomy", "labels", "number")
"""Label Studio's types of results that say something of the conversation."""


def _annotated(value: dict[str, Any]) -> list[tuple[Any, list[dict[str, Any]]]]:
    """The messages of each annotation, after those that the task began with."""
    begun = [
        message
        for said in value["data"].values()
        for message in items(said)
        if "role" in message and ("content" in message or "text" in message)
    ]
    found = []
    for annotation in items(value, "annotations") or items(value, "predictions") or [{}]:
        said = (member(one, "value.chatmessage") for one in items(annotation, "result"))
        found.append((annotation, [*begun, *(message for message in said if isinstance(message, dict))]))
    return found


def _label_studio(value: Any, request: Any) -> Iterator[Given]:
    """The conversation that a task began with and what was said while it was annotated."""
    found = _annotated(value)
    kept = {name: text for name, text in value["data"].items() if isinstance(text, str | int | float) and text != ""}
    for annotation, messages in found:
        name = text_at(value, "id") + (f"-{text_at(annotation, 'id')}" if len(found) > 1 else "")
        said = (
            one
            for one in map(spoken, messages)
            if isinstance(one, Given) or (one.text.strip() and one.role in ("user", "system"))
        )
        for number, one in enumerate(each_answer(said, Conversation()), 1):
            one.id = f"{name}-{number}"
            one.extra = {**kept, **_labels(annotation)}
            yield one


def _labels(annotation: Any) -> dict[str, Any]:
    """What the annotator said of the conversation, by the name of the question."""
    return {
        text_at(one, "from_name"): found
        for one in items(annotation, "result")
        for kind in _LABELS
        if (found := member(one, f"value.{kind}")) is not None
    }


LABEL_STUDIO: Final = Producer(
    "Label Studio",
    "tasks of chats that Label Studio exports as JSON",
    Form(
        lambda value: (
            has(value, "data:dict annotations|predictions:list")
            and any(any(messages) for _, messages in _annotated(value))
        ),
        read=_label_studio,
    ),
)


_ATTACHED: Final = re.compile(r"attachment://([0-9a-f]{32})")
_LETTER: Final = re.compile(r"[A-Z]")


def _is_inspect(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    is_log = isinstance(value.get("eval"), dict) and ("samples" in value or "plan" in value)
    return is_log or {"epoch", "input", "output", "messages"} <= value.keys()


def _samples(value: Any) -> Iterator[dict[str, Any]]:
    """Each choice of each sample, with its name and with what is said of all."""
    samples = items(value.get("samples", [value] if "epoch" in value else []))
    if not samples:
        raise NoAnswerError("has no answer: the log holds no samples")
    by_epoch = len({text_at(sample, "epoch") for sample in samples}) > 1 or value is samples[0]
    for sample in samples:
        name = text_at(sample, "id") + f"-{text_at(sample, 'epoch')}" * by_epoch
        choices = items(sample, "output.choices")
        for number, choice in enumerate(choices or [{}], 1):
            stated = {"choice": choice, "eval": member(value, "eval"), "name": name + f"-{number}" * (len(choices) > 1)}
            yield {**sample, **stated}


def _inspect(given: Given, sample: Any, request: Any) -> None:
    """Inspect's logs of evaluations, as JSON or ``.eval``: samples with what was asked, answered, expected and
    scored."""

    def whole(text: str) -> str:
        return _ATTACHED.sub(lambda found: text_at(sample, f"attachments.{found[1]}") or found[0], text)

    question, before = asked(sample.get("input"))
    prompt, _ = asked(sample.get("messages"))
    system = [Turn("system", "\n".join(texts_in(one.get("content"))))
              for one in items(sample, "messages") if one.get("role") == "system"]  # fmt: skip
    given.question = whole(question)
    given.turns = [Turn(turn.role, whole(turn.text)) for turn in (*system, *before) if turn.text.strip()]
    content = member(sample, "choice.message.content")
    if isinstance(content, str):
        given.response = whole(content)
    for part in items(content):
        if part.get("type") == "text":
            given.response += "\n" if given.response else ""
            _take_part(given, part, whole(text_at(part, "text")))
    failed = text_at(sample, "error.message|output.error")
    given.finish = "failed" if failed and not given.response.strip() else text_at(sample, "choice.stop_reason")
    given.finish = "refusal" if given.finish == "content_filter" else given.finish
    given.correct = _target(sample)
    given.left = ["reasoning" for part in items(content) if part.get("type") == "reasoning"]
    stated = {"prompt": whole(prompt) if prompt != question else "", "scores": _scores(sample.get("scores"))}
    given.extra = rest({**given.extra, **stated, "metadata": sample.get("metadata"), "error": failed})


def _take_part(given: Given, part: dict[str, Any], written: str) -> None:
    """A part of a message and what it cites; the places are those in the whole text."""
    for one in items(part, "citations"):
        cited, title = one.get("cited_text"), text_at(one, "title")
        start, end = (member(cited, "0"), member(cited, "1")) if isinstance(cited, list) else (0, len(written))
        placed = isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(written)
        given.cite(
            cited_as(text_at(one, "url"), title),
            title,
            (start + len(given.response), end + len(given.response)) if placed else None,
            quote=cited if isinstance(cited, str) else "",
        )
    given.response += written


def _target(sample: dict[str, Any]) -> str:
    """The right answer; of a letter among choices its words."""
    target, choices = sample.get("target"), sample.get("choices")
    texts = [one for one in (target if isinstance(target, list) else [target]) if isinstance(one, str)]
    if isinstance(choices, list):
        texts = [text_at(choices, str(ord(text) - ord("A"))) or text if _LETTER.fullmatch(text) else text
                 for text in texts]  # fmt: skip
    return "\n".join(texts)


INSPECT: Final = Producer(
    "Inspect",
    "logs of Inspect's evaluations, as JSON or .eval",
    Form(
        _is_inspect,
        "id=name question_id=id model=eval.model|output.model created=started_at|eval.created"
        " +epoch=epoch +task=eval.task +model_version=output.model",
        _inspect,
        _samples,
    ),
)


def _results(value: Any) -> list[dict[str, Any]]:
    """The results of a whole output, of the ``results`` in it, or one that stands alone in a line."""
    inner = member(value, "results")
    listed = inner if isinstance(inner, list) else member(inner, "results")
    return items(listed) or ([value] if isinstance(value, dict) else [])


def _is_result(value: dict[str, Any]) -> bool:
    return "provider" in value and "prompt" in value and ("response" in value or "error" in value) and "vars" in value


def _each_result(value: Any) -> Iterator[dict[str, Any]]:
    for result in _results(value):
        if not _is_result(result):
            raise NoAnswerError("has a result without a provider, a prompt or a response")
        yield {**result, "when": member(value, "results.timestamp|timestamp")}


def _promptfoo(given: Given, result: Any, request: Any) -> None:
    """One for each test, prompt and provider."""
    given.question, given.turns = _asked_by(text_at(result, "prompt.raw") or member(result, "prompt"))
    output = member(result, "response.output")
    given.response = "\n".join(texts_in(output)) or _as_json(output)
    given.id = given.id or "-".join(filter(None, (given.question_id, text_at(result, "promptIdx"))))
    refused = member(result, "response.isRefusal") is True
    if failed := text_at(result, "response.error"):
        given.finish = "failed"
    elif refused:
        given.finish = "refusal"
    kept = {name: one for name in ("score", "success", "namedScores", "vars")
            if (one := result.get(name)) not in (None, {}, "")}  # fmt: skip
    given.extra = kept | rest({"reason": text_at(result, "gradingResult.reason"), "error": failed})


def _as_json(output: Any) -> str:
    """An answer that came as an object, as its JSON; ``""`` for one that says nothing."""
    says = isinstance(output, dict) and any(isinstance(one, str) and one.strip() for one in output.values())
    return json.dumps(output, ensure_ascii=False) if says else ""


PROMPTFOO: Final = Producer(
    "promptfoo",
    "results of promptfoo's evaluations, as JSON or JSON lines",
    Form(
        lambda value: any(map(_is_result, _results(value)[:1])),
        "id=id question_id=testIdx model=provider.id|provider created=when finish=response.finishReason",
        _promptfoo,
        _each_result,
    ),
)


def _is_row(row: dict[str, Any]) -> bool:
    question = row.get("user_input")
    return (isinstance(question, str) and isinstance(row.get("response"), str)) or bool(items(question))


def _rows(value: Any) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each sample, and what an annotation says of it."""
    if not isinstance(value, dict):
        return []
    if "user_input" in value:
        return [(row, {}) for row in (records_in(value) if is_table(value) else [value])]
    if isinstance(member(value, "metric_input"), dict):
        return [(value["metric_input"], {"metric_output": value.get("metric_output")})]
    annotated = [(name, one) for name, listed in value.items() for one in items(listed) if "metric_input" in one]
    return [(one["metric_input"], {name: one.get("metric_output")}) for name, one in annotated
            if isinstance(one["metric_input"], dict)]  # fmt: skip


def _ragas(value: Any, request: Any) -> Iterator[Given]:
    """Data sets and results with what was asked, read, answered and expected, and annotations of its metrics."""
    for row, stated in _rows(value):
        if not _is_row(row):
            continue
        cites, texts = _contexts(row.get("retrieved_contexts"), "retrieved_contexts")
        question = row["user_input"]
        answers = (
            [Given(response=text_at(row, "response"), question=question)]
            if isinstance(question, str)
            else list(each_answer(map(spoken, items(question)), Conversation()))
        )
        used = ("user_input", "response", "retrieved_contexts", "reference", "id")
        for one in _numbered(answers, text_at(row, "id")):
            one.cites, one.texts, one.correct = cites, texts, text_at(row, "reference")
            one.extra = {
                key: kept for key, kept in row.items() if key not in used and kept not in (None, "", [])
            } | stated
            yield one


RAGAS: Final = Producer(
    "Ragas",
    "samples, results and annotations of Ragas",
    Form(lambda value: any(_is_row(row) for row, _ in _rows(value)[:1]), read=_ragas),
)

_RUNS: Final = ("testCases", "conversationalTestCases", "test_cases", "conversational_test_cases", "test_results")


def _cases(value: Any) -> list[dict[str, Any]]:
    """The test cases of a run, or one that stands alone."""
    run = member(value, "testRunData") or value
    if not isinstance(run, dict):
        return []
    return [case for name in _RUNS for case in items(run, name)] or [run]


def _either(value: Any, name: str) -> Any:
    """A member by its name in Python or in JSON."""
    first, *more = name.split("_")
    return next(
        (value[one] for one in (name, first + "".join(map(str.title, more))) if value.get(one) is not None), None
    )


def _is_case(value: dict[str, Any]) -> bool:
    if isinstance(value.get("input"), str) and isinstance(_either(value, "actual_output"), str):
        return True
    is_conversation = any("role" in turn and "content" in turn for turn in items(value, "turns"))
    return is_conversation and ("scenario" in value or _either(value, "metrics_data") is not None)


def _deepeval(value: Any, request: Any) -> Iterator[Given]:
    """Test runs, results and data sets of test cases, of single answers and of conversations."""
    for case in filter(_is_case, _cases(value)):
        cites, texts = _contexts(_either(case, "retrieval_context") or case.get("context"), "retrieval_context")
        if isinstance(case.get("input"), str):
            answers = [Given(response=str(_either(case, "actual_output")), question=case["input"])]
        else:
            answers = list(each_answer(map(_turn, items(case["turns"])), Conversation()))
        stated = {"scores": _scores(_either(case, "metrics_data")), "comments": text_at(case, "comments")}
        expected = _either(case, "expected_output")
        for one in _numbered(answers, text_at(case, "name")):
            one.cites, one.texts = [*one.cites, *cites], [*one.texts, *texts]
            one.correct = expected if isinstance(expected, str) else ""
            one.extra = rest(stated)
            yield one


def _turn(turn: dict[str, Any]) -> Turn | Given:
    found = spoken({"role": turn.get("role"), "content": text_at(turn, "content")})
    if isinstance(found, Given):
        found.cites, found.texts = _contexts(_either(turn, "retrieval_context"), "retrieval_context")
    return found


DEEPEVAL: Final = Producer(
    "DeepEval",
    "test runs, results and data sets of DeepEval",
    Form(lambda value: any(map(_is_case, _cases(value))), read=_deepeval),
)

_INTO: Final = "question|query|input|user_input|prompt|text|args"
_OUT: Final = "answer|output|response|result|completion|content|text"
_WRITTEN: Final = 3
"""How often a value may be written out as JSON inside of JSON."""


def _traces(value: Any) -> list[dict[str, Any]]:
    """The traces of a value, each with its observations: of a page of the API, of a file, or one that stands alone."""
    if listed := [one for one in items(value, "data") if "htmlPath" in one]:
        return listed
    if isinstance(trace := member(value, "trace"), dict) and "observations" in value:
        return [{**trace, "observations": value["observations"]}]
    return [value] if isinstance(value, dict) and "htmlPath" in value else []


def _trace(given: Given, trace: Any, request: Any) -> None:
    """What went into the outermost run and came out of it, what was retrieved, the scores."""
    runs = items(trace, "observations")
    written = [run for run in runs if run.get("type") == "GENERATION" and run.get("output")]
    outermost = next((one for one in (trace, *written[-1:]) if one.get("output")), trace)
    sent = _decoded(outermost.get("input"))
    found = member(sent, f"messages|{_INTO}") or sent
    given.question, given.turns = _asked_by([one for one in items(found) if "role" in one or "type" in one] or found)
    given.question = given.question or "\n".join(texts_in(found))
    given.response = _came_out(_decoded(outermost.get("output")))
    given.model = next((name for run in reversed(written) if (name := text_at(run, "model"))), "")
    for run in runs:
        if run.get("type") == "RETRIEVER" or "retriev" in text_at(run, "name"):
            retrieved = _decoded(run.get("output"))
            cites, texts = _contexts(member(retrieved, "documents") or retrieved, "contexts")
            given.cites += cites
            given.texts += texts
    given.cites = list({cite.cited: cite for cite in given.cites}.values())
    given.left = [text_at(run, "type").casefold() or "run" for run in runs]
    given.extra = {**given.extra, **rest({"scores": _scores(trace.get("scores"))})}


def _decoded(value: Any) -> Any:
    """A value that may be written out as JSON, perhaps more than once."""
    for _ in range(_WRITTEN):
        if not isinstance(value, str) or value.strip()[:1] not in ('"', "[", "{"):
            break
        try:
            value = DECODER.decode(value)
        except (ValueError, RecursionError):
            break
    return value


def _came_out(came: Any) -> str:
    """The text that came out: alone, in an object under a name for it, or the assistant's last message."""
    if message := member(came, "choices.0.message"):
        return "\n".join(texts_in(member(message, "content")))
    messages = items(member(came, "messages") or came)
    said = [one for one in messages if role_of(one.get("role") or one.get("type")) == "assistant"]
    found = said[-1].get("content") if said else member(came, _OUT) or came
    return _came_out(found) if isinstance(found, dict) and found is not came else "\n".join(texts_in(found))


LANGFUSE: Final = Producer(
    "Langfuse",
    "traces that Langfuse exports as JSON",
    Form(
        lambda value: any("input" in trace and "output" in trace for trace in _traces(value)[:1]),
        "id=id created=timestamp +name=name +tags=tags +session=sessionId",
        _trace,
        _traces,
    ),
)


def _chain_answers(value: Any) -> list[dict[str, Any]]:
    """The answers of a value: of Haystack's builder several, each perhaps with its members in ``init_parameters``."""
    inner = member(value, "answer_builder") or value
    listed = [member(one, "init_parameters") or one for one in items(inner, "answers")]
    return [one for one in listed if isinstance(one, dict)] or ([value] if isinstance(value, dict) else [])


def _chain_answer(value: dict[str, Any]) -> str:
    names = ("answer", "result", "response", "output_text", "output", "data")
    return next((text for name in names if (text := "\n".join(texts_in(value.get(name))))), "")


def _chain_documents(value: dict[str, Any]) -> Any:
    """The documents of an answer, ``None`` where these or the answer are not there."""
    names = ("source_documents", "source_nodes", "context", "documents")
    found = next((value[name] for name in names if any(map(_is_document, items(value, name)))), None)
    return found if _chain_answer(value) else None


def _is_document(value: dict[str, Any]) -> bool:
    """Whether an object is a document as one of the three writes it; what other objects are, plain records say."""
    return (
        "page_content" in value
        or "page_content" in (member(value, "kwargs") or ())
        or isinstance(member(value, "node"), dict)
        or ("content" in value and "meta" in value)
    )


def _chain(given: Given, answer: Any, request: Any) -> None:
    """An answer and the documents that it was made of."""
    given.response = _chain_answer(answer)
    given.question, given.turns = _asked_by(member(answer, "query|question|input|user_input") or "")
    given.cites, given.texts = _contexts(_chain_documents(answer), "source_documents")


CHAINS: Final = Producer(
    "LangChain or LlamaIndex or Haystack",
    "answers with the documents that a chain retrieved for them",
    Form(
        lambda value: any(_chain_documents(one) is not None for one in _chain_answers(value)),
        "id=id|around model=model|meta.model",
        _chain,
        lambda value: ({**one, "around": text_at(value, "id")} for one in _chain_answers(value)),
    ),
)
