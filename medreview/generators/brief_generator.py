"""``generate brief``: a summary of a hospital stay, written in stages from its notes (MedAgentBrief).

:class:`SinglePrompt` writes the same summary in one call, which briefs in stages are compared with.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Generator as Yields
from functools import partial
from typing import Any, ClassVar, Final

from medreview.exchange.imports.listed_citations import GivenPage
from medreview.generators.brief_rules import (
    Claim,
    Organised,
    Placed,
    check_draft,
    check_refined,
    check_reorganised,
    check_single,
    in_order,
    is_own_advice,
    numbered,
    words_of,
)
from medreview.generators.brief_text import (
    HOST,
    QUOTE_CODES,
    SUPPORTED,
    UNVERIFIED,
    BriefOpinion,
    Deleted,
    FinishedBrief,
    Sections,
    TaggedNote,
    Verified,
    brief_text,
    check_opinion,
    cited,
    notes_of,
    opening,
    pages_of,
    printed,
    response_of,
)
from medreview.generators.generator import (
    JUDGE,
    DroppedPart,
    Generator,
    Got,
    InputResult,
    Item,
    ModelQuestion,
    ValidatorResult,
    Work,
)
from medreview.labels import GIVEN
from medreview.text import in_words
from medreview.units.cases import case_of
from medreview.units.new_units import ImportRecord


def case_items(reader: sqlite3.Connection) -> list[Item]:
    """The cases that have notes, in order; a case is known by its content, its notes among it."""
    rows = reader.execute(
        """SELECT case_id, ordinal, record_id FROM clinical_case
           WHERE EXISTS (SELECT 1 FROM case_note WHERE case_note.case_id = clinical_case.case_id) ORDER BY ordinal"""
    )
    return [Item(row["case_id"], row["record_id"] or f"C{row['ordinal']:02d}") for row in rows]


def missing_pages(reader: sqlite3.Connection) -> list[GivenPage]:
    """The notes that briefs cite as sources and that are not stored as their texts yet."""
    query = """SELECT u.url FROM source AS u LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
               WHERE u.domain = ? AND p.page_state IS NOT ?"""
    missing = {row["url"] for row in reader.execute(query, (HOST, GIVEN))}
    pages: list[GivenPage] = []
    for item in case_items(reader) if missing else ():
        case = case_of(reader, item.item_id)
        assert case is not None
        pages += [page for page in pages_of(case, notes_of(reader, item.item_id)) if page.address in missing]
    return pages


STRATEGY: Final = "brief"
_VERIFICATION: Final = "source_verification"
_WORDS: Final = 20
"""Words of notes of which a brief makes about one statement."""
HEADING_FIELDS: Final = ("problem", "hospital_course")
"""Fields in which models write headings, the section's own name among them."""
_ALLOWED: Final = ("empty",)
"""A note may add nothing: a brief of statements that all stay has no text. Each stage says what must not be empty."""


class Brief(Generator):
    """The inputs are the cases that have notes; each product is a response to the case's question, model ``M (brief)``.

    Without a judge the model that wrote it verifies it.
    """

    name = "brief"
    noun = "case"
    lacking = "No case of the study has notes: name a file of notes."
    prompt_names: ClassVar[tuple[str, ...]] = ("brief_draft", "brief_refine", "brief_reorganise", _VERIFICATION)
    deviations: ClassVar[tuple[str, ...]] = (
        "all further notes are used, also those that are not progress notes.",
        "the brief is put into its three sections by a step of its own, which must keep statements and tags.",
        "what is not supported by its notes is deleted, and listed, where the paper says that it is mitigated.",
    )

    def items(self) -> Sequence[Item]:
        """The cases with notes."""
        return case_items(self.study.reader)

    def steps(self, item: Item) -> int:
        """Draft, reorganise, a question for each further note, and about one for every 20 words of notes: to verify."""
        notes = notes_of(self.study.reader, item.item_id)
        return 2 + len(notes) - len(opening(notes)) + words_of(note.text for note in notes) // _WORDS

    def pages(self) -> Sequence[GivenPage]:
        """The notes that the briefs cite."""
        return missing_pages(self.study.reader)

    def work(self, item: Item) -> Work:
        """Draft, refine with each further note, reorganise, verify each statement, resolve its tags."""
        notes = notes_of(self.study.reader, item.item_id)
        case = case_of(self.study.reader, item.item_id)
        assert case is not None
        claims = yield from self._draft(case.question, notes)
        check = partial(check_reorganised, before=claims)
        organised: Organised = yield from self._stage(
            "reorganise", "brief_reorganise", {"brief": numbered(claims)}, check
        )
        verdicts: dict[Claim, Verified | Deleted] = {}
        for claim in dict.fromkeys(placed.claim for placed in organised.claims()):
            own = [note for note in notes if note.tag in claim.tags]
            about = f"{claim.text} @ {item.name}"
            verdicts[claim] = yield from self._verify(claim, own, case.question, about, 1 + len(verdicts))
        unknown = in_order(tag for claim in verdicts for tag in claim.tags if tag not in {note.tag for note in notes})
        outcome = _outcome(organised, verdicts)
        dropped = (
            *(DroppedPart("unknown_tag", tag) for tag in unknown),
            *(DroppedPart(each.why, each.text) for each in outcome.deleted),
        )
        if not any(True for _ in outcome.statements()):
            return InputResult(code="nothing_supported", dropped=dropped, report=outcome.report())
        text = brief_text(outcome.sections)
        answer = response_of(case, notes, text, f"{self.model.name} ({STRATEGY})")
        return InputResult(ImportRecord(answers=(answer,)), dropped=dropped, report=outcome.report())

    def _draft(self, question: str, notes: Sequence[TaggedNote]) -> Yields[ModelQuestion, Got, list[Claim]]:
        """The statements after the draft and all refinements."""
        shown = opening(notes)
        texts = {"notes": printed(shown), "question": question}
        claims: list[Claim] = yield from self._stage(
            "draft", "brief_draft", texts, lambda value: check_draft(value, shown, notes)
        )
        brought_in = list(shown)
        for note in notes:
            if note in shown:
                continue
            brought_in.append(note)
            texts = {"brief": numbered(claims), "note": printed([note])}
            refined = partial(check_refined, before=claims, note=note, brought_in=tuple(brought_in))
            claims = yield from self._stage(f"refine {note.tag}", "brief_refine", texts, refined)
        return claims

    def _stage(
        self, stage: str, prompt: str, texts: Mapping[str, str], check: Callable[[Mapping[str, Any]], ValidatorResult]
    ) -> Yields[ModelQuestion, Got, Any]:
        """What a valid answer gives."""
        ask = ModelQuestion(stage, self.prompts[prompt], texts, check, allowed=_ALLOWED, headings=HEADING_FIELDS)
        return (yield from self.put(ask))

    def _verify(
        self, claim: Claim, notes: Sequence[TaggedNote], question: str, about: str, number: int
    ) -> Yields[ModelQuestion, Got, Verified | Deleted]:
        """What becomes of a statement that is held against its notes."""
        prompt = self.prompts[_VERIFICATION]
        texts = {"source": printed(notes), "question": question, "statement": claim.text}
        if not self.fits(prompt, texts, self.judge):
            return _verdict(claim, notes, None)
        check = partial(check_opinion, statement=claim.text, notes=notes)
        return _verdict(
            claim, notes, (yield ModelQuestion(f"verify {number}", prompt, texts, check, by=JUDGE, about=about))
        )


def _verdict(claim: Claim, notes: Sequence[TaggedNote], got: Got | None) -> Verified | Deleted:
    """A statement stays when its notes support it; and when nobody can tell, unless it reads like advice of its own."""
    opinion: BriefOpinion = (got.value if got else None) or BriefOpinion("", False, "", "")
    valid = got is not None and got.valid
    if valid and opinion.supported:
        return Verified(claim.text, cited(claim.text, notes, opinion.quote), SUPPORTED)
    numbers = tuple(note.number for note in notes)
    own_advice = is_own_advice(claim.text, [note.text for note in notes])
    if valid:
        why = "own_advice" if own_advice else "unsupported"
        return Deleted(claim.text, numbers, why, f"{in_words(opinion.label)}: {opinion.reason}")
    if got is not None and QUOTE_CODES & set(got.codes):
        return Deleted(claim.text, numbers, "unproven", "Called supported with a quote that does not prove it.")
    if own_advice:
        return Deleted(
            claim.text, numbers, "own_advice", "It reads like advice, and no place in its notes has its words."
        )
    return Verified(claim.text, cited(claim.text, notes, ""), UNVERIFIED)


def _outcome(organised: Organised, verdicts: Mapping[Claim, Verified | Deleted]) -> FinishedBrief:
    """The sections without what was deleted."""

    def kept(placed: Sequence[Placed]) -> tuple[Verified, ...]:
        found = (verdicts[each.claim] for each in placed)
        return tuple(each for each in found if isinstance(each, Verified))

    return FinishedBrief(
        kept([organised.summary]),
        kept(organised.course),
        tuple((problem.name, kept(problem.claims)) for problem in organised.problems),
        tuple(each for each in verdicts.values() if isinstance(each, Deleted)),
    )


_SINGLE: Final = "brief_single"


class SinglePrompt(Brief):
    """All notes in the order of their dates, one question; each product is a response of ``M (single prompt)``.

    Nothing is verified and nothing is deleted: what it advises beyond its notes is named in the report.
    """

    name = "brief --single-prompt"
    prompt_names: ClassVar[tuple[str, ...]] = (_SINGLE,)
    deviations: ClassVar[tuple[str, ...]] = ("notes that do not fit into the model's context are refused, not cut.",)

    def steps(self, item: Item) -> int:
        """One."""
        return 1

    def work(self, item: Item) -> Work:
        """One question to the model."""
        notes = notes_of(self.study.reader, item.item_id)
        case = case_of(self.study.reader, item.item_id)
        assert case is not None
        texts = {"notes": printed(notes), "question": case.question}
        check = partial(check_single, notes=notes)
        ask = ModelQuestion("single prompt", self.prompts[_SINGLE], texts, check, headings=HEADING_FIELDS)
        sections: Sections = yield from self.put(ask)
        parts = [*sections.summary, *sections.course, *(part for _, those in sections.problems for part in those)]
        advice = [part.text for part in parts if is_own_advice(part.text, [note.text for note in notes])]
        answer = response_of(case, notes, brief_text(sections), f"{self.model.name} (single prompt)")
        return InputResult(ImportRecord(answers=(answer,)), report={"own_advice": list(dict.fromkeys(advice))})
