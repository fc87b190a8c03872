"""What was reviewed and how: items, queues and modes, what had been seen, judges with their prompts, pages."""

import json
from collections.abc import Iterator
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.layout import Part, Title, numbers, table
from medreview.cli.reports.page_parts import PagePart, Section
from medreview.cli.reports.study_page.item_flow import flow_parts
from medreview.cli.reports.study_page.material import Material
from medreview.cli.reports.study_page.words import date, short_hash
from medreview.judges.semantic_runs import model_in
from medreview.sources.read_by_ocr import BY_OCR
from medreview.words import counted, in_words

_KINDS: Final = {
    "offline": "rules on words, no model", "llm": "asked from here", "recorded": "judged elsewhere, imported",
}  # fmt: skip
_PARTS: Final = {
    "judge_verdict": "the judges' verdict",
    "judge_quote": "a judge's quote",
    "judge_highlight": "a judge's marks in the page",
    "jury": "how the judges voted",
    "model_name": "which model wrote the answer",
    "queue_reason": "why it was flagged",
    "judge_totals": "figures on the judges",
    "own_previous": "an earlier label of one's own",
    "other_reviewer": "another reviewer's label",
}


def _kind(kind: str, judge: str) -> str:
    """What a judge is, in words."""
    with_model = kind == "offline" and model_in(judge)
    return "rules on words; a model of meaning for the order alone" if with_model else _KINDS[kind]


def reviewed_section(material: Material) -> Section:
    """How labels came to be."""
    of_statements = material.figures.statements or not material.figures.headlines
    parts = (
        *((*flow_parts(material), *_progress(material)) if of_statements else ()),
        *_labels(material),
        *_exposure(material),
        *_judges(material),
        *_pages(material),
    )
    return Section("reviewed", "What was reviewed, and how", parts)


def _progress(material: Material) -> Iterator[Part]:
    rows = [
        (one_line(one.reviewer), *numbers(done.total, done.decided, done.deferred, done.open, done.disagreements,
                                          done.changed_after_reveal))
        for one in material.figures.reviewers
        for done in (one.progress,)
    ]  # fmt: skip
    yield Title("How far the review is")
    if not rows:
        yield "Nobody has decided anything yet."
        return
    names = ("reviewer", "statements", "decided", "deferred", "open", "otherwise than judges", "changed after reveal")
    yield table(names, rows, first="anywhere")


def _labels(material: Material) -> Iterator[Part]:
    rows = [
        (one_line(one.reviewer), in_words(one.kind), in_words(one.queue), one.mode, *numbers(one.labels))
        for one in material.record.labels
    ]
    if rows:
        yield Title("Queues and modes")
        yield (
            "Blind labels were given before anything of the judges' opinion on the unit had been seen; all others are "
            "assisted. The two are never counted together."
        )
        yield table(("reviewer", "unit", "queue", "mode", "labels"), rows, first="anywhere",
                    long=("unit", "queue", "mode"))  # fmt: skip


def _exposure(material: Material) -> Iterator[Part]:
    rows = [
        (one_line(one.reviewer), _PARTS.get(one.part, in_words(one.part)), *numbers(one.before, one.known))
        for one in material.record.exposure
        if one.before
    ]
    if not material.record.exposure:
        return
    yield Title("What had been seen before the first decision")
    if not rows:
        yield "Nothing of the machines' opinion, of figures on it, or of other labels, on any statement."
        return
    yield table(("reviewer", "seen", "statements", "of"), rows, first="anywhere", long=("seen",))


def _judges(material: Material) -> Iterator[PagePart]:
    yield Title("Judges")
    runs = material.record.runs
    if not runs:
        yield "No judge was asked."
        return
    rows = [
        (
            one_line(run.judge), _kind(run.kind, run.judge), given(run.model), given(run.prompt_id),
            short_hash(run.prompt_sha256) or "not known", _params(run.params), date(run.started_at),
            *numbers(run.judged),
        )
        for run in runs
    ]  # fmt: skip
    names = ("judge", "how", "model", "prompt", "prompt's SHA-256", "parameters", "begun", "judgements")
    yield table(names, rows, first="anywhere", long=names[1:-1])


def _params(params: object) -> str:
    return one_line(json.dumps(params, sort_keys=True, ensure_ascii=False)) if params else "none"


def _pages(material: Material) -> Iterator[Part]:
    pages = material.record.pages
    if not pages:
        return
    yield Title("Cited sources, by the state of their page")
    yield table(("state", "sources"), [(in_words(state) or "not fetched", *numbers(n)) for state, n in pages.items()])
    if material.record.by_ocr:
        yield f"{BY_OCR.capitalize()}, in whole or in part: {counted(material.record.by_ocr, 'source')}."
