"""Unsupported statements revised or removed (SourceCleanup), each revision judged again.

A statement is unsupported by what reviewers say where one has labelled it, else by the verdict in force. A decision
on a conflict counts before the labels; different labels without such a decision make it neither. The page is the
first of the statement's sources, in the order in which they are reviewed, that can be read; where the verdict decides,
one that the judges find in support of the statement is passed over.

A revision has a quote that stands in the page and bears on it, nothing that the quote lacks (:func:`lacking`), and
nothing that clashes with it; it is not the statement that it revises, and at most 1.5 times as long. Of a removal
only the form is checked: the reviewer decides whether something could stay.

:func:`lacking` compares amounts (0.5 g is 500 mg), numbers in figures and letters, medicines by the lists and word
endings of the program and by their synonyms, and words that negate. A class of medicines (antibiotics, a vaccine) is no
medicine. It cannot tell a medicine whose name neither has a known end nor is listed, nor what the words mean
together.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isclose
from pathlib import Path
from typing import Any, ClassVar, Final

from medreview.citations.stored_sources import source_at
from medreview.evidence.alignment import tokens
from medreview.evidence.clashes import clashes
from medreview.evidence.differences import meaning_words
from medreview.evidence.lexicon import is_negation, names_medicine, negated_forms
from medreview.evidence.quantities import Quantity
from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.exchange.imports.file_rows import BadRecord, check_text, open_text
from medreview.exchange.imports.json_rows import read_jsonl
from medreview.generators.generator import JUDGE, Generator, InputResult, Item, ModelQuestion, ValidatorResult, Work
from medreview.judges.judge_answer import APART, answer_in, comes_to, located
from medreview.judges.quote_grounding import Grounded, QuoteGrounder
from medreview.judges.rollup import by_source, tie_rule
from medreview.judges.tasks.task import confidence_of
from medreview.judges.tasks.verification import NAME as VERIFICATION
from medreview.judges.votes import COLUMNS, VoteReader, mapped
from medreview.labels import DISPROVING_DOUBTS, PROVEN_QUOTES
from medreview.llm.settings import JudgeSettings
from medreview.sources.ocr_pages import ocr_note, ocr_pages
from medreview.statements.kinds import names_drug
from medreview.study import Study
from medreview.text import Span, word_set
from medreview.units.derived_label import derived_labels
from medreview.units.new_units import ImportRecord
from medreview.units.revision import is_the_original, is_too_long
from medreview.units.statement_view import load_text, response_name, statement_name
from medreview.units.stored import NewOpinion, NewUnit

_LABELS: Final = """
SELECT c.unit, c.reviewer, c.label FROM decision_current AS c JOIN statement_standing AS s ON s.statement_id = c.unit
WHERE c.pass = 1 AND c.axis = 'evidence'
      AND NOT EXISTS (SELECT 1 FROM decision_stale AS o WHERE o.event_id = c.event_id)"""
_SETTLED: Final = """
SELECT a.unit, a.label FROM adjudicated AS a JOIN statement_standing AS s ON s.statement_id = a.unit
WHERE a.stands AND a.axis = 'evidence'"""
_STATEMENTS: Final = """
SELECT s.statement_id, v.supported FROM statement_standing AS s JOIN response AS r USING (response_id)
LEFT JOIN verdict AS v USING (statement_id) ORDER BY r.ordinal, s.place, s.start, s.ordinal"""
_PAGES: Final = """
SELECT o.source_id, o.snapshot_id, u.url FROM source_order AS o JOIN source AS u USING (source_id)
WHERE o.statement_id = ? AND o.readable ORDER BY o.turn"""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A statement and the page that it is to be mended by; ``snapshot_id`` and ``url`` are ``""`` without any.

    ``name`` is what it is called: its response's id in the file or number, and its own (``A02-sepsis-fluid S1``).
    """

    statement_id: str
    text: str
    name: str
    response_id: str
    question: str
    origin: str
    snapshot_id: str
    url: str


def unsupported(reader: sqlite3.Connection) -> list[Unsupported]:
    """All of the study, in the order of its responses."""
    said = _by_reviewers(reader)
    tie = tie_rule(reader)
    found = []
    for statement_id, supported in reader.execute(_STATEMENTS).fetchall():
        if statement_id in said:
            if said[statement_id] is False:
                found.append(_with_page(reader, statement_id, _pages(reader, statement_id)))
        elif supported == 0:
            votes = VoteReader(reader, statement_id).votes(_judgements(reader, statement_id))
            backing = {source for source, word in by_source(votes, tie).items() if word.supported}
            pages = (page for page in _pages(reader, statement_id) if page["source_id"] not in backing)
            found.append(_with_page(reader, statement_id, pages))
    return found


def listed(reader: sqlite3.Connection, path: Path) -> tuple[list[Unsupported], list[BadRecord]]:
    """Those that a file lists, each once, and the lines that are of no use.

    A statement's id on each line; or JSON objects with ``statement_id`` and, where the page is not the first that can
    be read, ``url``.

    Raises :class:`UserError` when the file cannot be read.
    """
    found, bad = dict[tuple[str, str], Unsupported](), list[BadRecord]()
    for line, statement_id, url in _lines(path, bad):
        known = reader.execute("SELECT 1 FROM statement_standing WHERE statement_id = ?", (statement_id,)).fetchone()
        if known is None:
            bad.append(BadRecord(line, f"names {statement_id!r}, which is not a statement of this study"))
            continue
        pages = _pages(reader, statement_id)
        if url:
            named = source_at(reader, url)
            pages = [one for one in pages if one["source_id"] == named]
            if not pages:
                bad.append(
                    BadRecord(line, f"names {url!r}, which is not a readable page that the statement could rest on")
                )
                continue
        one = _with_page(reader, statement_id, pages)
        found.setdefault((one.statement_id, one.snapshot_id), one)
    return list(found.values()), sorted(bad, key=lambda record: record.line)


def _lines(path: Path, bad: list[BadRecord]) -> Iterator[tuple[int, str, str]]:
    check_text(path)
    with open_text(path) as file:
        first = next((line for line in file if line.strip()), "")
    if not first.lstrip().startswith("{"):
        with open_text(path) as file:
            yield from ((line, text.strip(), "") for line, text in enumerate(file, 1) if text.strip())
        return
    for row in read_jsonl(path):
        if isinstance(row, BadRecord):
            bad.append(row)
            continue
        named, url = row.values.get("statement_id"), row.values.get("url") or ""
        if isinstance(named, str) and named and isinstance(url, str):
            yield row.line, named, url
        else:
            bad.append(BadRecord(row.line, "has no statement_id, or an url that is not a text"))


def _by_reviewers(reader: sqlite3.Connection) -> dict[str, bool | None]:
    """What reviewers say of the statements that they labelled: supported, not, or ``None`` where they differ."""
    said: dict[str, dict[str, bool | None]] = {}
    for one in derived_labels(reader):
        if one.pass_no == 1 and one.current.supported is not None:
            said.setdefault(one.statement_id, {})[one.reviewer] = one.current.supported
    for statement_id, reviewer, label in reader.execute(_LABELS):
        said.setdefault(statement_id, {})[reviewer] = _supported(label)
    found: dict[str, bool | None] = {}
    for statement_id, by_reviewer in said.items():
        words = {word for word in by_reviewer.values() if word is not None}
        if words:
            found[statement_id] = words.pop() if len(words) == 1 else None
    settled = {unit: _supported(label) for unit, label in reader.execute(_SETTLED)}
    return found | {unit: word for unit, word in settled.items() if word is not None}


def _supported(label: str) -> bool | None:
    return (mapped(label) or (None, None))[1]


def _pages(reader: sqlite3.Connection, statement_id: str) -> Sequence[sqlite3.Row]:
    return reader.execute(_PAGES, (statement_id,)).fetchall()


def _judgements(reader: sqlite3.Connection, statement_id: str) -> list[sqlite3.Row]:
    query = f"SELECT {COLUMNS} FROM judgement AS j JOIN judge_run AS run USING (judge_run_id) WHERE j.statement_id = ?"
    return reader.execute(query, (statement_id,)).fetchall()


def _with_page(reader: sqlite3.Connection, statement_id: str, pages: Iterable[sqlite3.Row]) -> Unsupported:
    row = reader.execute(
        """SELECT s.text, s.ordinal, r.response_id, r.ordinal AS response, r.record_id, r.question, r.origin
           FROM statement AS s JOIN response AS r USING (response_id) WHERE s.statement_id = ?""",
        (statement_id,),
    ).fetchone()
    page = next(iter(pages), None)
    short = statement_name(reader, statement_id, row["response_id"], row["ordinal"])
    return Unsupported(
        statement_id=statement_id,
        text=row["text"],
        name=f"{row['record_id'] or response_name(row['response'])} {short}",
        response_id=row["response_id"],
        question=row["question"],
        origin=row["origin"],
        snapshot_id=page["snapshot_id"] if page else "",
        url=page["url"] if page else "",
    )


NUMBER: Final = "number_not_in_quote"
UNIT: Final = "unit_not_in_quote"
MEDICINE: Final = "drug_not_in_quote"
NEGATION: Final = "negation_not_in_quote"
_WITHOUT_STEM: Final = word_set(
    "adrenaline epinephrine codeine allopurinol valproate naloxone nitroglycerin albumin iron calcium potassium oxygen"
)
_CLASS: Final = re.compile(
    "anti|vaccin|vitamin|hormon|contracepti|steroid|corticosteroid|painkill|analges|opioid|opiate|diuretic|inhibitor"
    "|sedativ|laxativ|immunoglob"
)
"""How words for a kind of medicine begin."""


def lacking(text: str, quote: str) -> tuple[str, ...]:
    """The codes of what the text says and the quote lacks, each once; empty when the quote has all of it."""
    said, given = SentenceAnalysis(text), SentenceAnalysis(quote)
    return tuple(dict.fromkeys((*_amounts(said, given), *_medicines(said, given), *_negations(said, given))))


def numbers_of(text: str) -> set[str]:
    """The numbers of a text by their value, in figures or letters, without those that number the items of a list."""
    words = meaning_words(tokens(text), text)
    return {form for word in words for form in word.forms if form.startswith("#")}


def _amounts(said: SentenceAnalysis, given: SentenceAnalysis) -> Iterator[str]:
    for amount in said.quantities:
        if not any(_same(amount, other) for other in given.quantities):
            yield UNIT if any(_same_number(amount, other) for other in given.quantities) else NUMBER
    known = numbers_of(given.text)
    for word in meaning_words(tokens(said.text), said.text):
        within = any(amount.start < word.token.end and word.token.start < amount.end for amount in said.quantities)
        if not within and any(form.startswith("#") for form in word.forms) and not word.forms & known:
            yield NUMBER


def _same(one: Quantity, other: Quantity) -> bool:
    """Whether two amounts are one; a bound in one direction is not one in the other."""
    if {one.sign[0], other.sign[0]} == {"<", ">"}:
        return False
    return one.equals(other) or one.restates(other) or _is_end_of(one, other)


def _is_end_of(one: Quantity, other: Quantity) -> bool:
    """Whether an amount is one end of a range, be it without its unit: age 50, of 50 to 75 years."""
    if one.is_range or not other.is_range or one.unit not in ("", other.unit):
        return False
    factor = other.number / other.low if other.low and not one.unit else 1.0
    return any(isclose(one.low, end * factor, rel_tol=1e-6) for end in (other.low, other.high))


def _same_number(one: Quantity, other: Quantity) -> bool:
    return one.unit != other.unit and bool(one.unit) and one.number == other.number


def _medicines(said: SentenceAnalysis, given: SentenceAnalysis) -> Iterator[str]:
    known = {word.term for word in given.words}
    if any(_is_medicine(word.key) and word.term not in known for word in said.words):
        yield MEDICINE


def _is_medicine(word: str) -> bool:
    listed = names_medicine(word) or word in _WITHOUT_STEM
    return listed or (len(word) > 3 and names_drug(word) and not _CLASS.match(word))


def _negations(said: SentenceAnalysis, given: SentenceAnalysis) -> Iterator[str]:
    if any(map(is_negation, said.keys)) and not any(map(is_negation, given.keys)):
        yield NEGATION
    for word in said.words:
        if word.is_content and word.key not in given.keys and negated_forms(word.key) & given.keys:
            yield NEGATION


Ground = Callable[[str, str], Grounded]
"""Looks up a quote in the page, as one that is to support a text."""

REMOVE: Final = "remove"
_CLASHING: Final = {"number": NUMBER, "range": NUMBER, "comparison": NUMBER, "unit": UNIT, "negation": NEGATION}


def revision_faults(value: Mapping[str, Any], original: str, ground: Ground) -> tuple[str, ...]:
    """The validation codes of one answer, each once; empty when it can be used."""
    return tuple(dict.fromkeys(_faults(value, original, ground)))


def _faults(value: Mapping[str, Any], original: str, ground: Ground) -> Iterator[str]:
    text, quote = value["text"].strip(), value["quote"].strip()
    if not value["changed"].strip():
        yield "no_explanation"
    if value["action"] == REMOVE:
        if text:
            yield "removal_with_text"
        return
    if not text:
        yield "no_text"
        return
    if is_the_original(text, original):
        yield "unchanged"
    if is_too_long(text, original):
        yield "too_long"
    found = ground(quote, text)
    if found.status not in PROVEN_QUOTES:
        yield "quote_not_grounded"
    elif found.doubt in DISPROVING_DOUBTS:
        yield "quote_proves_nothing"
    yield from lacking(text, quote)
    yield from (_CLASHING.get(clash.kind, "clashes_with_quote") for clash in clashes(text, quote))


_PROMPT: Final = "statement_cleanup"
_AXIS: Final = "revision"


class Cleanup(Generator):
    """``generate cleanup``: the inputs are statements with a page that does not support them; each product is a unit of
    the kind ``revision``, and what a judge says of a revised text is an opinion on it.

    ``statements`` names a file that lists them (:func:`~medreview.generators.cleanup.listed`); all that are
    unsupported without one.
    """

    name = "cleanup"
    noun = "statement"
    lacking = "No statement is unsupported: reviewers and judges found none, or the file names none."
    prompt_names: ClassVar[tuple[str, ...]] = (_PROMPT, VERIFICATION)
    deviations: ClassVar[tuple[str, ...]] = (
        "a revision is kept only with a quote that stands in the page, and without a number, unit, medicine or "
        "negation that the quote lacks; the paper kept what the model wrote.",
        "a judge verifies each revision, beside the reviewers; in the paper experts did.",
    )

    def __init__(
        self, study: Study, model: JudgeSettings, prompts: Path | None = None, statements: Path | str | None = None
    ) -> None:
        """Raises also for a file that cannot be read."""
        super().__init__(study, model, prompts)
        reader = study.reader
        found = listed(reader, Path(statements))[0] if statements else unsupported(reader)
        self._statements = {f"{one.statement_id} {one.snapshot_id}".strip(): one for one in found}

    @cached_property
    def _quotes(self) -> QuoteGrounder:
        return QuoteGrounder(self.study.reader)

    def items(self) -> Sequence[Item]:
        """The statements, in the order of their responses or of the file."""
        return [Item(item_id, one.name) for item_id, one in self._statements.items()]

    def steps(self, item: Item) -> int:
        """The revision, and the judge's word on it."""
        return 2 if self._statements[item.item_id].snapshot_id else 0

    def work(self, item: Item) -> Work:
        """A revision or a removal by the model; a revision is verified."""
        one = self._statements[item.item_id]
        if not one.snapshot_id:
            return InputResult(code="no_page")
        page = load_text(self.study.reader, one.snapshot_id)
        texts = {"source": page, "statement": one.text}
        notes = {"source": ocr_note(ocr_pages(self.study.reader, one.snapshot_id), Span(0, len(page)))}

        def ground(quote: str, supports: str) -> Grounded:
            return self._quotes.ground(quote, one.snapshot_id, supports=supports)

        revised = yield from self.put(
            ModelQuestion(
                "revision",
                self.prompts[_PROMPT],
                texts,
                lambda value: _checked(value, revision_faults(value, one.text, ground)),
                notes=notes,
            )
        )
        unit = _unit(revised, one, self.model.name)
        if not revised["text"]:
            return InputResult(ImportRecord(units=(unit,)), report={"action": "remove"})
        asked = {"source": page, "question": one.question, "statement": revised["text"]}
        prompt = self.prompts[VERIFICATION]
        judge = self.judge or self.model
        if not self.fits(prompt, asked, judge):
            return InputResult(ImportRecord(units=(unit,)), report={"action": "revise", "judged": None})
        about = f"{revised['text']} @ {one.url}"
        said = yield ModelQuestion(
            "verification",
            prompt,
            asked,
            lambda value: ValidatorResult(value=dict(value)),
            by=JUDGE,
            about=about,
            notes=notes,
        )
        if not said.valid:
            return InputResult(ImportRecord(units=(unit,)), report={"action": "revise", "judged": said.status})
        opinion = _opinion(unit.unit, judge, prompt.id, said.value, lambda quote: ground(quote, revised["text"]))
        report = {"action": "revise", "judged": opinion.label or f"{opinion.raw_label}, unproven"}
        return InputResult(ImportRecord(units=(unit,), opinions=(opinion,)), report=report)


def _checked(value: Mapping[str, Any], codes: tuple[str, ...]) -> ValidatorResult:
    cleaned = {name: str(value[name]).strip() for name in ("quote", "text", "changed")}
    return ValidatorResult(codes, {**cleaned, "quote": ""} if value["action"] == REMOVE else cleaned)


def _unit(value: Mapping[str, str], one: Unsupported, model: str) -> NewUnit:
    content = {
        "original": one.text,
        "revised": value["text"],
        "changed": value["changed"],
        "quote": value["quote"],
        "passage": "",
        "url": one.url,
        "statement": one.statement_id,
        "response": one.response_id,
    }
    return NewUnit(_AXIS, one.text, content, origin=one.origin, model=model, belongs_to=one.response_id)


def _opinion(
    unit: str, judge: JudgeSettings, prompt_id: str, value: Mapping[str, Any], look: Callable[[str], Grounded]
) -> NewOpinion:
    """What the judge says of the revised text, by the rule of its judgements: support counts with a proof only."""
    raw = str(value["label"])
    supports = (mapped(raw) or (None, None))[1] is True
    given = located(answer_in(value), lambda quote, _: look(quote), supports=supports)
    _, supported = comes_to(raw, given)
    label = {True: "supported", False: "not_supported", None: None}[supported]
    return NewOpinion(
        unit=unit,
        judge=judge.name,
        axis=_AXIS,
        raw_label=raw,
        label=label,
        model=judge.model,
        prompt_id=prompt_id,
        confidence=confidence_of(value.get("confidence")),
        reason=str(value.get("reason", "")),
        quote=APART.join(one.quote for one in given.quotes),
    )
