"""What an adapter is and gives of one answer, and the record that is stored of it: offsets verified, entries made.

Every adapter says where a stretch begins and ends as its producer does. Producers count code points, UTF-16 units or
bytes, and some are wrong; so the unit is the one in which every stretch says what it should.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from typing import Any, Final, NamedTuple

from medreview.exchange.imports.answer_records import AnswerRecord, CitedRange, Turn, finish_of, time_of
from medreview.exchange.imports.fact_records import FactLabel, FactRecord
from medreview.exchange.imports.listed_citations import GivenPage, citations_of, document_entry, encoded
from medreview.storable import is_damaged, storable_text, unstorable
from medreview.text import normalise_newlines

Place = tuple[int, int]
"""Where a stretch begins and ends."""


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


class CitedText(NamedTuple):
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

    response: str = ""
    question: str = ""
    turns: Sequence[Turn] = ()
    id: str = ""
    choice: int | None = None
    model: str = ""
    origin: str = ""
    created: Any = None
    finish: Any = None
    cites: list[Cite] = field(default_factory=list)
    texts: list[CitedText] = field(default_factory=list)
    facts: Sequence[tuple[str, str]] = ()
    correct: str = ""
    graded: Sequence[FactLabel] = ()
    question_id: str = ""
    left: list[str] = field(default_factory=list)
    conversation: Conversation = _NONE
    extra: dict[str, Any] = field(default_factory=dict)

    def cite(
        self, cited: str, title: str = "", at: Place | None = None, says: str = "", quote: str = "",
        number: int | None = None, *, text: str = "", whole: bool = False,
    ) -> None:  # fmt: skip
        """Cite a source, with the text of it that came along; the rest as of :class:`Cite` and :class:`CitedText`."""
        start, end = at or (None, None)
        self.cites.append(Cite(cited, title, start, end, says, quote, number))
        if text:
            self.texts.append(CitedText(cited, text, title, whole))


class NoAnswerError(ValueError):
    """What is recorded is no answer; the text says what it is, as the end of a sentence that names the record."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a producer's files: how to know it, and where the answers and their fields stand.

    ``known``: what a value of this form has and no other, as :func:`has` reads it, or a function. ``paths``:
    ``field=path`` of each field of :class:`Given` that stands somewhere; ``asked`` and ``system`` are paths in the
    request that was sent, if there is one; ``+column=path`` is kept as it is. ``take`` adds to a record what no path
    says: it gets the record, the answer and the request; its docstring says what such a file holds. ``each`` finds the
    answers of a value, which is one itself where that is left out. ``used``: the members that fields are made of, where
    all others are kept. ``read`` does all this alone, where the answers are those of a conversation.
    """

    known: str | Callable[[Any], bool]
    paths: str = ""
    take: Callable[[Given, Any, Any], None] | None = None
    each: Callable[[Any], Iterable[Any]] = lambda value: (value,)
    used: str = ""
    read: Callable[[Any, Any], Iterator[Given]] | None = None

    def detect(self, value: Any) -> bool:
        """Whether a JSON value is of this form."""
        return has(value, self.known) if isinstance(self.known, str) else self.known(value)

    def records(self, value: Any, request: Any) -> Iterator[Given]:
        """The answers in a value, with the request that was sent."""
        return self._records(value, request) if self.read is None else self.read(value, request)

    def _records(self, value: Any, request: Any) -> Iterator[Given]:
        paths = dict(one.split("=") for one in self.paths.split())
        for one in self.each(value):
            given = Given(extra=rest(one, *self.used.split()) if self.used else {})
            for name, path in paths.items():
                if name.startswith("+"):
                    given.extra |= rest({name[1:]: member(one, path)})
                elif name == "asked":
                    given.question, given.turns = asked(member(request, path))
                elif name == "system":
                    prompt = "\n".join(texts_in(member(request, path) or member(one, path)))
                    given.turns = [Turn("system", prompt), *given.turns]
                else:
                    setattr(given, name, member(one, path) if name in ("created", "finish") else text_at(one, path))
            if "question" in paths and not given.question:
                given.question, given.turns = asked(member(one, paths["question"]))
            if self.take is not None:
                self.take(given, one, request)
            yield given


class Producer:
    """A system that writes answers, with the forms of its files.

    ``name`` is what people call it, ``about`` which files it is. ``fold`` makes of the events of a stream the value
    that would have come at once, ``None`` for the stream of another producer.
    """

    def __init__(self, name: str, about: str, *forms: Form, fold: Callable[[list[Any]], Any] | None = None) -> None:
        self.name, self.about, self.forms, self.fold = name, about, forms, fold

    def detect(self, value: Any) -> bool:
        """Whether a JSON value is of one of its forms."""
        return any(form.detect(value) for form in self.forms)

    def records(self, value: Any, request: Any) -> Iterator[Given]:
        """The answers in a value; one that :attr:`fold` made is of the first form where it looks like none."""
        form = next((one for one in self.forms if one.detect(value)), self.forms[0])
        return form.records(value, request)


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
        stated = [cited] if cited.startswith("document:") else citations_of({"citations": [_work(cited, title)]})
        for number in numbers[cited] if numbered else (None,):
            for entry in stated[:1]:
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
        role = role_of(message.get("role") or message.get("type") or "user")
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


@lru_cache(2048)
def _paths(path: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(one.split(".")) for one in path.split("|"))


def _at(value: Any, steps: tuple[str, ...]) -> Any:
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step[:9]) < len(value):
            value = value[int(step[:9])]
        else:
            return None
    return value


def member(value: Any, path: str) -> Any:
    """What stands at the end of a path of names and places in JSON (``choices.0.message``), ``None`` where there is no
    such path; of several paths (``a.b|c``) the first that is filled."""
    found = None
    for steps in _paths(path):
        if found := _at(value, steps):
            break
    return found


_KINDS: Final = {"str": str, "list": list, "dict": dict, "bool": bool}


def has(value: Any, wanted: str) -> bool:
    """Whether an object has members: ``"prompt:list rubric:str id !choices"`` is a list, a text, anything under ``id``
    and nothing under ``choices``; of several paths (``a|b:str``) one is enough."""
    return isinstance(value, dict) and all(_has(value, *one.partition(":")[::2]) for one in wanted.split())


def _has(value: Any, path: str, kind: str) -> bool:
    if path.startswith("!"):
        return not _has(value, path[1:], kind)
    found = ((_at(value, steps[:-1]), steps[-1]) for steps in _paths(path))
    inside = [inner[name] for inner, name in found if isinstance(inner, dict) and name in inner]
    return any(not kind or isinstance(one, _KINDS[kind]) for one in inside)


def object_at(value: Any, path: str) -> dict[str, Any]:
    """The object at the end of a path; ``{}`` for anything else."""
    found = member(value, path)
    return found if isinstance(found, dict) else {}


def items(value: Any, path: str = "") -> list[dict[str, Any]]:
    """The objects of a list, or of the list at the end of a path; none of anything else."""
    found = member(value, path) if path else value
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def text_at(value: Any, path: str) -> str:
    """The text at the end of a path, of several paths the first that is filled; ``""`` for anything else, a number as
    text."""
    for steps in _paths(path):
        found = _at(value, steps)
        if isinstance(found, int | float) and not isinstance(found, bool):
            return str(found)
        if isinstance(found, str) and found:
            return found
    return ""


def span(value: Any, first: str = "start_index", last: str = "end_index") -> Place | None:
    """A place that two members say; ``None`` where one is no number, or nothing is between them."""
    start, end = member(value, first), member(value, last)
    return (start, end) if isinstance(start, int) and isinstance(end, int) and end > start else None


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
    tools = [text_at(tool, "name|function.name|type") or next(iter(tool), "")
             for tool in items(request, "tools")]  # fmt: skip
    return found | ({"tools": tools} if any(tools) else {})


def rest(value: Any, *used: str) -> dict[str, Any]:
    """The filled members of an object that no field was made of; ``{}`` of anything else."""
    stated = value.items() if isinstance(value, dict) else ()
    return {name: one for name, one in stated if name not in used and one not in (None, "", [], {})}
