"""Reading what systems write: the answers of model APIs, exports of chats, logs of evaluations, published data sets.

A file goes through ``container`` (its JSON values, whatever holds them), ``envelope`` (what stands around an answer)
and the first adapter that knows a value; ``given`` makes the record that is stored. Each adapter is a
:class:`~medreview.exchange.producers.given.Producer`: how to know its forms, at which paths their fields stand, and a
function for what no path says; ``docs/developers/extending.md`` says how to add one. What no adapter knows is left
to the reader of plain records.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from medreview.errors import UserError
from medreview.exchange.imports.answer_records import AnswerRecord
from medreview.exchange.imports.file_rows import BadRecord
from medreview.exchange.producers.container import Broken, Events, values_in
from medreview.exchange.producers.envelope import Enclosed, enclosed, listed, request_of
from medreview.exchange.producers.given import NoAnswerError, Producer, record_of, settings_of

if TYPE_CHECKING:
    from medreview.import_files import Chosen


@cache
def producers() -> tuple[Producer, ...]:
    """All adapters in the order in which they are asked: the more a format has of its own, the sooner."""
    from medreview.exchange.producers import chats, data_sets, evaluations, model_apis, openai

    return (
        chats.CHATGPT,
        chats.CLAUDE,
        chats.OPEN_WEBUI,
        chats.LIBRECHAT,
        evaluations.LABEL_STUDIO,
        evaluations.INSPECT,
        evaluations.PROMPTFOO,
        evaluations.RAGAS,
        evaluations.DEEPEVAL,
        evaluations.LANGFUSE,
        evaluations.CHAINS,
        data_sets.HEALTHBENCH,
        data_sets.EXPERTQA,
        data_sets.ATTRIBUTIONBENCH,
        data_sets.FAITHBENCH,
        data_sets.MEDQUAD,
        data_sets.LIVEQA,
        data_sets.KQA,
        openai.RESPONSES,
        openai.AZURE_SEARCH,
        model_apis.ANTHROPIC,
        model_apis.GEMINI,
        model_apis.COHERE,
        model_apis.BEDROCK,
        openai.OLLAMA,
        openai.CHAT_COMPLETIONS,
        chats.MESSAGES,
    )


class ListedConversation(NamedTuple):
    """A conversation of an export, to choose it by: title and id, when its first answer was given (ISO 8601, ``""``
    where the file does not say), and how many answers it has."""

    title: str
    id: str
    created_at: str
    answers: int


@dataclass(frozen=True, slots=True)
class Produced:
    """The answers of a file that a known system wrote, read again each time; ``name`` is the producer of the first.

    ``requests``: what was sent, by id; ``chosen``: which of them, and what the file does not say.
    """

    name: str
    path: Path
    requests: Mapping[str, Any]
    chosen: "Chosen"

    def __iter__(self) -> Iterator[AnswerRecord | BadRecord]:
        """Each answer, or what is wrong with a record."""
        for line, value in values_in(self.path) or ():
            if isinstance(value, Broken):
                yield BadRecord(line, value.reason)
                continue
            found = _read(value, self.requests)
            if not found:
                yield BadRecord(line, _ANOTHER)
            for one in found:
                yield from filter(self._takes, _answers(line, one, self.chosen.question))

    def _takes(self, answer: AnswerRecord | BadRecord) -> bool:
        """Whether an answer is one of those that are chosen; all of what is wrong is."""
        only, since = self.chosen.only, self.chosen.since
        if isinstance(answer, BadRecord) or not (only or since):
            return True
        title, name = _conversation_of(answer)
        titled = all(word in title.casefold() for word in only.casefold().split())
        return (titled or only == name) and answer.created_at >= since

    def choices(self) -> list[ListedConversation]:
        """The conversations of the chosen answers, in the order of the file; none where it is no export of chats."""
        found: dict[tuple[str, str], list[str]] = {}
        for answer in self:
            if isinstance(answer, AnswerRecord) and any(of := _conversation_of(answer)):
                found.setdefault(of, []).append(answer.created_at)
        return [
            ListedConversation(*of, min(filter(None, dates), default=""), len(dates)) for of, dates in found.items()
        ]


def _conversation_of(answer: AnswerRecord) -> tuple[str, str]:
    """Title and id of the conversation that an answer is from."""
    return str(answer.extra.get("conversation", "")), str(answer.extra.get("conversation_id", ""))


def produced(path: Path, chosen: "Chosen") -> Produced | None:
    """The answers of a file, ``None`` where no adapter knows the first value in it.

    Raises :class:`UserError` for a zip or XML that cannot be read, and for a file of another producer than the one that
    is chosen.
    """
    wanted = named(chosen.producer) if chosen.producer else None
    requests = requests_in(chosen.requests) if chosen.requests else {}
    for _, value in values_in(path) or ():
        if isinstance(value, Broken):
            continue
        found = _read(value, requests)
        known = next((one.by for one in found if one.by is not None), None)
        if known is None and found:
            continue
        if wanted not in (None, known):
            is_read = f"is read as {known.name}" if known else "is not of a form that medreview knows"
            raise UserError(f"{path} {is_read}, not as {wanted.name if wanted else ''}; leave --producer out.")
        return None if known is None else Produced(known.name, path, requests, chosen)
    return None


def named(name: str) -> Producer:
    """The producer of a name, or of the only one that has these words in it. Raises :class:`UserError` for no such."""
    found = [one for one in producers() if name.casefold() in one.name.casefold()]
    found = [one for one in found if one.name.casefold() == name.casefold()] or found
    if len(found) != 1:
        raise UserError(f"There is no producer {name!r}; there are {', '.join(one.name for one in producers())}.")
    return found[0]


def is_asked(path: Path) -> bool:
    """Whether a file is the input of a batch: what is asked, by id."""
    return any(request_of(value) is not None for _, value in islice(values_in(path) or (), 1))


def requests_in(path: Path) -> dict[str, Any]:
    """What was sent, by id. Raises :class:`UserError` for a file in which nothing of that is."""
    found = dict(filter(None, (request_of(value) for _, value in values_in(path) or ())))
    if not found:
        raise UserError(f"{path} is not a file of requests: none of its lines has an id and what was asked.")
    return found


_NOTHING: Final = Enclosed(None, None, "")


class _ReadValue(NamedTuple):
    """A value that an adapter reads and what stands around it; or ``wrong``: why it is no answer."""

    by: Producer | None
    value: Any
    around: Enclosed = _NOTHING
    wrong: str = ""


def _read(value: Any, requests: Mapping[str, Any], around: Enclosed = _NOTHING) -> list[_ReadValue]:
    """Who reads what of a value; nothing where nobody knows it."""
    if isinstance(value, Events):
        return _folded(value.events, around) or _read(value.events, requests, around)
    if (by := next((one for one in producers() if one.detect(value)), None)) is not None:
        return [_ReadValue(by, value, around)]
    if isinstance(value, list):
        return _folded(value, around) or _each(value, requests, around)
    try:
        inner = enclosed(value, requests)
    except NoAnswerError as error:
        return [_ReadValue(None, None, wrong=str(error))]
    if inner is None:
        return [one for item in listed(value) for one in _read(item, requests, around)]
    stated = Enclosed(None, *(new or old for new, old in zip(inner[1:], around[1:], strict=True)))
    return _read(inner.body, requests, stated)


_ANOTHER: Final = "is of another form than the others of this file"


def _each(values: list[Any], requests: Mapping[str, Any], around: Enclosed) -> list[_ReadValue]:
    """Who reads the items of a list; of one that nobody knows that it is lost, where others are known."""
    found = [_read(value, requests, around) for value in values]
    if not any(found):
        return []
    return [one for read in found for one in read or [_ReadValue(None, None, wrong=_ANOTHER)]]


def _folded(events: list[Any], around: Enclosed) -> list[_ReadValue]:
    bodies = ((one, one.fold(events)) for one in producers() if one.fold is not None)
    return next(([_ReadValue(one, body, around)] for one, body in bodies if body is not None), [])


def _answers(line: int, read: _ReadValue, question: str) -> Iterator[AnswerRecord | BadRecord]:
    if read.by is None:
        yield BadRecord(line, read.wrong)
        return
    try:
        for given in read.by.records(read.value, read.around.request):
            given.id = read.around.id or given.id
            given.model = given.model or read.around.model
            given.created = given.created or read.around.created
            given.extra = {**settings_of(read.around.request), **given.extra}
            given.question = given.question or question
            try:
                yield record_of(given, line, read.by.name)
            except ValueError as error:  # of this answer alone: the others of its export are read
                yield BadRecord(line, str(error))
    except ValueError as error:
        yield BadRecord(line, str(error))
