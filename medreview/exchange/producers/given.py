"""What an adapter is and gives of one answer, and the record that is stored of it: offsets verified, entries made.

Every adapter says where a stretch begins and ends as its producer does. Producers count code points, UTF-16 units or
bytes, and some are wrong; so the unit is the one in which every stretch says what it should.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any, Final, NamedTuple

from medreview.exchange.imports.answer_records import AnswerRecord, CitedRange, Turn, finish_of, time_of
from medreview.exchange.imports.fact_records import FactLabel, FactRecord
from medreview.exchange.imports.listed_citations import GivenPage, citations_of, document_entry, encoded
from medreview.storable import is_damaged, storable_text, unstorable
from medreview.text import normalise_newlines


class Cite(NamedTuple):
    """One citation. ``cited``: an address, or ``document_entry`` of a document without one. ``start`` and ``end`` are
    those of the producer, ``None`` where it gives none; ``says``: the words that should stand there, ``""`` if it does
    not say. ``quote``: the passage of the source that the producer shows as its proof; ``number``: the answer's own."""

    cited: str
    title: str = ""
    start: int | None = None
    end: int | None = None
    says: str = ""
    quote: str = ""
    number: int | None = None


class SourceText(NamedTuple):
    """A text of a source that came with the answer; ``cited`` as of :class:`Cite`, ``whole``: no passage of it."""

    cited: str
    text: str
    title: str = ""
    whole: bool = False


class Conversation(NamedTuple):
    """The conversation of an export that an answer is from, as its user knows it: title and id."""

    title: str = ""
    id: str = ""


_NONE: Final = Conversation()


@dataclass(kw_only=True, slots=True)
class Given:
    """One answer as its file has it. ``created`` and ``finish`` are the producer's own; ``facts``: key facts of the
    question as (fact, category); ``correct``: a right answer to it; ``graded``: what people said of these facts in the
    answer; ``left``: what of the file is no part of the answer ("reasoning", "tool call"), each time that it occurs;
    ``choice``: which of several answers of one ``id`` it is, from 0; ``conversation``: the one of an export that it is
    from; ``extra``: what else is to be kept."""

    response: str
    question: str = ""
    turns: Sequence[Turn] = ()
    id: str = ""
    choice: int | None = None
    model: str = ""
    origin: str = ""
    created: Any = None
    finish: Any = None
    cites: Sequence[Cite] = ()
    texts: Sequence[SourceText] = ()
    facts: Sequence[tuple[str, str]] = ()
    correct: str = ""
    graded: Sequence[FactLabel] = ()
    question_id: str = ""
    left: Sequence[str] = ()
    conversation: Conversation = _NONE
    extra: Mapping[str, Any] = field(default_factory=dict)


class NoAnswerError(ValueError):
    """What is recorded is no answer; the text says what it is, as the end of a sentence that names the record."""


class Producer(NamedTuple):
    """A format that some system writes.

    ``detect`` looks at a JSON value and says whether it is this format: by what no other has. ``records`` finds the
    answers in it; it gets the request that was sent, where the file or another one has that. ``fold`` makes of the
    events of a stream the value that would have come at once, ``None`` for the stream of another producer.
    ``name`` is what people call it, ``about`` which files it is.
    """

    name: str
    about: str
    detect: Callable[[Any], bool]
    records: Callable[[Any, Any], Iterator[Given]]
    fold: Callable[[list[Any]], Any] | None = None


def record_of(given: Given, line: int, producer: str) -> AnswerRecord:
    """The record to store. Raises ``ValueError``, which says what is wrong, for a text that cannot be stored."""
    for name, text in (("response", given.response), ("question", given.question)):
        if is_damaged(text):
            raise ValueError(f"has a NUL or half a character in its {name}")
    cites = [
        cite._replace(cited=_whole(cite.cited), title=_whole(cite.title), quote=_whole(cite.quote))
        for cite in given.cites
        if cite.cited.strip()
    ]
    entries = _entries(cites)
    known = {cited for cited, _ in entries}
    cites = [cite for cite in cites if cite.cited in known]
    extra = _of_conversation(given.conversation) | dict(given.extra)
    question = normalise_newlines(given.question).strip()
    name = _whole(given.id).strip()
    return AnswerRecord(
        line=line,
        question=question,
        response=normalise_newlines(given.response) if given.response.strip() else "",
        citations=tuple(dict.fromkeys(filter(None, entries.values()))),
        model=_whole(given.model).strip(),
        origin=_whole(given.origin).strip(),
        record_id=name if given.choice is None or not name else f"{name}-{given.choice}",
        pages=tuple(
            GivenPage(
                encoded(_whole(one.cited)),
                normalise_newlines(text if one.whole else unescape(text)),  # passages are cut out of a page's HTML
                " ".join(_whole(one.title).split()),
                one.whole,
            )
            for one in given.texts
            if (text := _whole(one.text)).strip()
        ),
        facts=tuple(
            FactRecord(line, _whole(fact).strip(), category, question, "")
            for fact, category in given.facts
            if question and fact.strip()
        ),
        turns=tuple(Turn(_whole(role), normalise_newlines(_whole(text))) for role, text in given.turns if text.strip()),
        ranges=tuple(_ranges(given.response, cites, entries)),
        producer=producer,
        created_at=_whole(time_of(given.created)),
        finish=finish_of(given.finish),
        question_id=_whole(given.question_id).strip(),
        extra={name: value for name, value in extra.items() if not unstorable({name: value})},
        correct_answer=_whole(given.correct).strip(),
        graded=tuple(
            FactLabel(fact, reviewer, one.label)
            for one in given.graded
            if question and (fact := _whole(one.fact).strip()) and (reviewer := _whole(one.reviewer).strip())
        ),
        left=tuple(given.left),
    )


def _whole(text: str) -> str:
    """A text beside the answer without the signs that cannot be stored."""
    return storable_text(text).replace("\0", "") if is_damaged(text) else text


def _of_conversation(of: Conversation) -> dict[str, str]:
    return {name: text for name, text in (("conversation", of.title), ("conversation_id", of.id)) if text}


Numbered = tuple[str, int | None]
"""What is cited, and the answer's own number of it, ``None`` where it has none."""


def _entries(cites: Sequence[Cite]) -> dict[Numbered, str]:
    """By what is cited and its number, the entry in the list of citations, with the number where every source has one.

    A source that the answer cites as [4] and as [5] has two entries, and what cannot be cited has none.
    """
    titles: dict[str, str] = {}
    numbers: dict[str, dict[int, None]] = {}
    for cite in cites:
        titles[cite.cited] = titles.get(cite.cited, "") or cite.title
        numbers.setdefault(cite.cited, {}).update({cite.number: None} if cite.number else {})
    numbered = all(numbers.values())
    found: dict[Numbered, str] = {}
    for cited, title in titles.items():
        told = [cited] if cited.startswith("document:") else citations_of({"citations": [_work(cited, title)]})
        for number in numbers[cited] if numbered else (None,):
            for entry in told[:1]:
                found[cited, number] = f"[{number}] {entry}" if numbered else entry
    return dict(sorted(found.items(), key=lambda item: item[0][1] or 0))


def _work(cited: str, title: str) -> dict[str, str]:
    return {"url": cited, "title": title} if title.strip() and title != cited else {"url": cited}


def _ranges(text: str, cites: Sequence[Cite], entries: Mapping[Numbered, str]) -> Iterable[CitedRange]:
    wanted = [cite for cite in cites if cite.start is not None and cite.end is not None]
    first = {cited: entry for (cited, _), entry in reversed(list(entries.items()))}
    places = placed(text, [(cite.start or 0, cite.end or 0, cite.says) for cite in wanted])
    shift = _without_carriage_returns(text)
    for cite, place in zip(wanted, places, strict=True):
        if place is not None:
            start, end = (at - shift(at) for at in place)
            entry = entries.get((cite.cited, cite.number)) or first[cite.cited]
            yield CitedRange(start, end, (entry,), " ".join(unescape(cite.quote).split()))


def _without_carriage_returns(text: str) -> Any:
    """How many characters before an offset go when line ends are made LF."""
    return (lambda at: text.count("\r\n", 0, at)) if "\r\n" in text else (lambda at: 0)


Place = tuple[int, int]
_UNITS: Final = (("utf-32-le", 4), ("utf-16-le", 2), ("utf-8", 1))
"""Code points, UTF-16 units and bytes: a codec, and its bytes for each."""


def placed(text: str, wanted: Sequence[tuple[int, int, str]]) -> list[Place | None]:
    """Where stretches stand in a text, in code points, by the unit in which most of them say what they should.

    ``wanted``: start, end and the words there, ``""`` where nobody says. One that says otherwise in every unit is
    searched by its words, and ``None`` where these are nowhere. Without any words the unit is code points, as long as
    every stretch lies in the text.
    """
    read = [[_in_unit(text, start, end, *unit) for start, end, _ in wanted] for unit in _units(text)]

    def right(places: Sequence[Place | None]) -> int:
        return sum(
            place is not None and (not says or text[slice(*place)].strip() == says.strip())
            for place, (_, _, says) in zip(places, wanted, strict=True)
        )

    best = max(read, key=right)
    return [
        place if place is not None and (not says or text[slice(*place)].strip() == says.strip())
        else _search(text, says, start)
        for place, (start, _, says) in zip(best, wanted, strict=True)
    ]  # fmt: skip


def _units(text: str) -> Sequence[tuple[str, int]]:
    return _UNITS[:1] if text.isascii() else _UNITS


def _in_unit(text: str, start: int, end: int, codec: str, size: int) -> Place | None:
    """A place in code points; ``None`` where it lies outside the text, or in the middle of a character."""
    if not 0 <= start <= end:
        return None
    if size == 4:
        return (start, end) if end <= len(text) else None
    data = text.encode(codec)
    if end * size > len(data):
        return None
    try:
        before = len(data[: start * size].decode(codec))
        return before, before + len(data[start * size : end * size].decode(codec))
    except UnicodeDecodeError:
        return None


def _search(text: str, says: str, near: int) -> Place | None:
    """Where words stand in a text, the place nearest to an offset."""
    says = says.strip()
    if not says:
        return None
    found: list[int] = []
    at = text.find(says)
    while at >= 0 and len(found) < 100:
        found.append(at)
        at = text.find(says, at + 1)
    return min(((at, at + len(says)) for at in found), key=lambda place: abs(place[0] - near), default=None)


def texts_in(content: Any) -> list[str]:
    """The texts of a message's content: a text, an object with one, or a list of these; images and the like have
    none."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, dict):
        if content.get("type") in _NO_WORDS or content.get("thought") is True:
            return []
        return texts_in(next((content[name] for name in _TEXTS if content.get(name) is not None), None))
    return [text for item in content for text in texts_in(item)] if isinstance(content, list) else []


_TEXTS: Final = ("text", "content", "parts", "citationsContent", "message")
"""Members that hold the texts of a part."""
_NO_WORDS: Final = ("document", "search_result", "tool_result", "thinking", "reasoning", "function_call_output")
"""Types of parts that nobody said: what a tool gave, what a model thought, what was attached."""


def asked(messages: Any) -> tuple[str, list[Turn]]:
    """The last question of a conversation, as its user wrote it, and the turns before it.

    ``messages``: objects with a role (or type) and a content, or one text. A turn without a text, such as the result of
    a tool, is left out.
    """
    if isinstance(messages, str):
        return messages, []
    said = []
    for message in items(messages):
        role = str(message.get("role") or message.get("type") or "user").casefold()
        role = _ROLES.get(role, role)
        text = ("" if role == "assistant" else "\n").join(texts_in(message))
        if text.strip() and role not in ("tool", "function"):
            said.append(Turn(role, text))
    last = max((at for at, turn in enumerate(said) if turn.role == "user"), default=-1)
    return (said[last].text, said[:last]) if last >= 0 else ("", said)


_ROLES: Final = {
    "human": "user",
    "model": "assistant",
    "ai": "assistant",
    "chatbot": "assistant",
    "gpt": "assistant",
    "bot": "assistant",
    "developer": "system",
}
"""The words for who speaks -> that of a turn."""


def role_of(word: Any) -> str:
    """Who speaks, of a producer's word for it: ``user``, ``assistant``, ``system``, or any other word in lower case."""
    said = str(word or "").casefold()
    return _ROLES.get(said, said)


def member(value: Any, *path: str | int) -> Any:
    """What stands at the end of a path of names and places in JSON; ``None`` where there is no such path."""
    for step in path:
        if isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        elif isinstance(step, int) and isinstance(value, list) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def object_at(value: Any, *path: str | int) -> dict[str, Any]:
    """The object at the end of a path; ``{}`` for anything else."""
    found = member(value, *path)
    return found if isinstance(found, dict) else {}


def items(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_at(value: Any, *path: str | int) -> str:
    """The text at the end of a path; ``""`` for anything else, a number as text."""
    found = member(value, *path)
    if isinstance(found, int | float) and not isinstance(found, bool):
        return str(found)
    return found if isinstance(found, str) else ""


_ADDRESS: Final = re.compile(r"(?:https?://|www\.|doi:|10\.\d{4,9}/)\S", re.IGNORECASE)


def cited_as(url: str, name: str = "") -> str:
    """The entry of a source by its address; of one without an address, or in a store of files, by its name.

    ``""`` where it has neither.
    """
    url, name = url.strip(), name.strip()
    if _ADDRESS.match(url):
        return url
    name = name or url.rstrip("/").rpartition("/")[2] or url
    return document_entry(name, url) if name else ""


_THOUGHT: Final = re.compile(
    r"\s*(?:<(think|thinking|thought)>.*?(?:</\1>|\Z)|(?:(?!<think).)*?</think>)\s*", re.DOTALL
)


def after_thinking(text: str) -> str:
    """A text without the reasoning that a model wrote between tags before its answer."""
    found = _THOUGHT.match(text) if "<th" in text or "</think>" in text else None
    return text[found.end() :] if found else text


_SETTINGS: Final = (
    "temperature", "top_p", "topP", "top_k", "topK", "seed", "max_tokens", "max_completion_tokens", "max_output_tokens",
    "maxTokens", "maxOutputTokens", "reasoning_effort", "search_mode", "web_search_options", "thinking", "reasoning",
)  # fmt: skip
"""Members of a request that say how the model was set."""


def settings_of(request: Any) -> dict[str, Any]:
    """How a model was set and which tools it had, as far as a request says."""
    found: dict[str, Any] = {}
    for place in (request, *(member(request, name) for name in ("generationConfig", "inferenceConfig", "options"))):
        found |= {name: place[name] for name in _SETTINGS if isinstance(place, dict) and place.get(name) is not None}
    tools = [text_at(tool, "name") or text_at(tool, "function", "name") or text_at(tool, "type") or next(iter(tool), "")
             for tool in items(member(request, "tools"))]  # fmt: skip
    return found | ({"tools": tools} if any(tools) else {})


def rest(value: Any, *used: str) -> dict[str, Any]:
    """The filled members of an object that no field was made of; ``{}`` of anything else."""
    told = value.items() if isinstance(value, dict) else ()
    return {name: one for name, one in told if name not in used and one not in (None, "", [], {})}
