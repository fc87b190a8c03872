"""The answers of a model in each stage of a brief: read, and held against the rules of the stage."""

from collections.abc import Mapping, Sequence
from typing import Any

from medreview.generators.ask import Checked
from medreview.generators.brief.claims import (
    Claim,
    claims_of,
    cleaned,
    is_heading,
    on_one_line,
    organised_of,
    refined_of,
)
from medreview.generators.brief.notes import TaggedNote
from medreview.generators.brief.validators import (
    draft_codes,
    heading,
    refine_codes,
    reorganise_codes,
    single_codes,
    words_of,
)
from medreview.generators.brief.written import Part, Sections


def check_draft(value: Mapping[str, Any], shown: Sequence[TaggedNote], notes: Sequence[TaggedNote]) -> Checked:
    """A draft, made from the notes ``shown`` of all ``notes``; its value: the statements."""
    claims = claims_of(value)
    others = {note.tag for note in notes} - {note.tag for note in shown}
    return Checked(tuple(draft_codes(claims, {note.tag: note.text for note in shown}, others)), claims)


def check_refined(
    value: Mapping[str, Any], before: Sequence[Claim], note: TaggedNote, brought_in: Sequence[TaggedNote]
) -> Checked:
    """A brief after one more note, and all notes that are in it now; its value: the statements."""
    after = refined_of(value, before)
    most = words_of(one.text for one in brought_in)
    codes = refine_codes(before, after, note.tag, note.text, most)
    return Checked(tuple(codes), [each.claim for each in after])


def check_reorganised(value: Mapping[str, Any], before: Sequence[Claim]) -> Checked:
    """A brief in three sections; its value: an :class:`~medreview.generators.brief.claims.Organised`."""
    organised = organised_of(value, before)
    said = [claim.text for claim in before]
    problems = tuple(problem._replace(name=heading(problem.name, said)) for problem in organised.problems)
    return Checked(tuple(reorganise_codes(before, organised)), organised._replace(problems=problems))


def check_single(value: Mapping[str, Any], notes: Sequence[TaggedNote]) -> Checked:
    """A brief that was written in one call; its value: the :class:`~medreview.generators.brief.written.Sections`."""
    named = [(on_one_line(item["problem"]), _parts(item["statements"])) for item in value["problem_list"]]
    summary, course = _parts([value["one_line_summary"]]), _parts(value["hospital_course"])
    texts = [part.text for part in (*summary, *course, *(part for _, those in named for part in those))]
    problems = tuple((heading(name, texts), those) for name, those in named if those)
    sections = Sections(summary, course, problems)
    codes = single_codes(texts, [note.text for note in notes])
    if not (summary and course and problems):
        codes.append("section_empty")
    return Checked(tuple(codes), sections)


def _parts(texts: Sequence[str]) -> tuple[Part, ...]:
    return tuple(Part(cleaned(text), ()) for text in texts if text.strip() and not is_heading(text))
