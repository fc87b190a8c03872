"""Statements on which a reviewer overrides the judges, with all that is needed to follow the reviewer; their themes.

The themes are those that a model found, and it is said whether they are of the labels as they stand today.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from medreview.labels import FLAGS
from medreview.progress import SILENT, Progress
from medreview.text import Span
from medreview.units.documents import ExcerptPiece, excerpt
from medreview.units.label_comparisons import THEMES, OverriddenLabel, counting, overridden_id, tellable
from medreview.units.statement_view import (
    Judgement,
    StatementView,
    judge_name,
    load_evidence,
    load_name,
    load_statement_view,
    load_text,
    said_in_words,
)

_MODE: Final = "SELECT mode, label FROM reviewer_label WHERE unit = ? AND reviewer = ? AND pass = 1"
_FLAGS: Final = """SELECT payload FROM event_live
WHERE unit = ? AND reviewer = ? AND pass = 1 AND kind = 'flag' ORDER BY event_id"""
_PAGE: Final = """SELECT p.snapshot_id, p.page_state, p.fetched_at, p.text_sha256, p.title, u.url
FROM snapshot AS p JOIN source AS u USING (source_id) WHERE p.snapshot_id = ?"""
_TELLING: Final = ("supported", "partial", "contradicted")


@dataclass(frozen=True)
class SeenPage:
    """The version of a page that was on the screen."""

    snapshot_id: str
    url: str
    title: str
    state: str
    fetched_at: str
    text_sha256: str


@dataclass(frozen=True)
class JudgeWord:
    """What a judge says of the statement by one page, its quote (``status``: how true it is to the page), and the words
    of the page around it. ``goes_on``: the page has more behind them."""

    judge: str
    said: str
    reason: str
    quote: str
    status: str
    url: str
    context: tuple[ExcerptPiece, ...]
    goes_on: bool


@dataclass(frozen=True)
class Overridden:
    """A statement whose label by a reviewer, as it stands, is not the judges' verdict.

    ``first_label`` is the blind one, where that was another. ``reason`` is a code of ``labels.REASONS`` or ``""``;
    ``votes``: judges of the verdict, of another, and without one. ``context``: the words that bear on the statement in
    the page that the reviewer saw, where no judge quotes from it. ``passed_over``: judges' words that are not listed,
    because they say that another page does not speak of the matter.
    """

    reviewer: str
    statement_id: str
    name: str
    model: str
    question: str
    text: str
    verdict: str
    votes: tuple[int, int, int]
    label: str
    first_label: str
    mode: str
    decided_at: str
    reason: str
    note: str
    flags: tuple[str, ...]
    page: SeenPage | None
    words: tuple[JudgeWord, ...]
    context: tuple[ExcerptPiece, ...]
    passed_over: int


def overridden(
    reader: sqlite3.Connection, labels: Sequence[OverriddenLabel], progress: Progress = SILENT
) -> Iterator[Overridden]:
    """Each of these labels with its statement, its judges and their pages, read one after the other."""
    progress.begin("differing", len(labels))
    for one in labels:
        yield _item(reader, one)
        progress.step()


def _item(reader: sqlite3.Connection, said: OverriddenLabel) -> Overridden:
    view = load_statement_view(reader, said.statement_id)
    assert view.verdict is not None  # it differs from it
    whose = (said.statement_id, said.reviewer)
    mode = reader.execute(_MODE, whose).fetchone()
    page = _page(reader, said.snapshot_id)
    judgements = counting(view.judgements)
    listed = [one for one in judgements if _tells(one, said.snapshot_id)]
    words = tuple(_word(reader, view, one) for one in listed)
    quoted = any(word.context for word, one in zip(words, listed, strict=True) if one.snapshot_id == said.snapshot_id)
    context: tuple[ExcerptPiece, ...] = ()
    if page is not None and not quoted:
        found = load_evidence(reader, said.statement_id, page.snapshot_id)
        context = _context(reader, page.snapshot_id, found.highlights[:1])[0]
    decided = reader.execute("SELECT at_utc FROM event WHERE event_id = ?", (said.event_id,)).fetchone()[0]
    return Overridden(
        reviewer=said.reviewer,
        statement_id=said.statement_id,
        name=f"{view.response_name} {view.short_name}",
        model=view.model,
        question=view.question,
        text=view.text,
        verdict=said.verdict,
        votes=(view.verdict.votes_for, view.verdict.votes_other, view.verdict.abstained),
        label=said.label,
        first_label=mode["label"] if mode["mode"] == "blind" and mode["label"] != said.label else "",
        mode=mode["mode"],
        decided_at=decided,
        reason=said.reason,
        note=said.note,
        flags=tuple(_flags(reader, whose)),
        page=page,
        words=words,
        context=context,
        passed_over=len(judgements) - len(listed),
    )


def _tells(judgement: Judgement, seen: str | None) -> bool:
    """Whether it is worth reading: it says something, or it is of the page that the reviewer saw."""
    return judgement.snapshot_id == seen or judgement.verdict in _TELLING or bool(judgement.quote.strip())


def _flags(reader: sqlite3.Connection, whose: tuple[str, str]) -> Iterator[str]:
    acts = (json.loads(act["payload"]) for act in reader.execute(_FLAGS, whose))
    on = {said["flag"]: said["on"] for said in acts}
    return (flag.level for flag in FLAGS if on.get(flag.level))


def _page(reader: sqlite3.Connection, snapshot_id: str | None) -> SeenPage | None:
    row = reader.execute(_PAGE, (snapshot_id,)).fetchone()
    if row is None:
        return None
    return SeenPage(
        row["snapshot_id"], row["url"], row["title"] or "", row["page_state"], row["fetched_at"], row["text_sha256"]
    )


def _word(reader: sqlite3.Connection, view: StatementView, judgement: Judgement) -> JudgeWord:
    source = view.source_of(judgement.snapshot_id)
    context, goes_on = _context(reader, judgement.snapshot_id, judgement.quote_spans)
    return JudgeWord(
        judge=judge_name(judgement),
        said=said_in_words(judgement),
        reason=judgement.reason,
        quote=judgement.quote,
        status=judgement.quote_status,
        url=source.url if source else "",
        context=context,
        goes_on=goes_on,
    )


def _context(
    reader: sqlite3.Connection, snapshot_id: str, spans: tuple[Span, ...]
) -> tuple[tuple[ExcerptPiece, ...], bool]:
    if not spans:
        return (), False
    pieces, goes_on = excerpt(load_text(reader, snapshot_id), spans)
    return tuple(pieces), goes_on


_MADE: Final = """SELECT g.item_id, g.report, g.finished_at, r.model FROM generation_current AS g
JOIN generation_run AS r USING (run_id) WHERE r.generator = ?1 AND g.name = ?2 AND g.code = ''
ORDER BY g.item_id = ?3 DESC, g.finished_at DESC, r.ordinal DESC LIMIT 1"""


@dataclass(frozen=True, slots=True)
class ThemedStatement:
    """A statement of a theme. ``label``: what it was taken for, where it still differs from the judges."""

    statement_id: str
    name: str
    label: OverriddenLabel | None


@dataclass(frozen=True, slots=True)
class OverrideTheme:
    """What several statements have in common, in a model's words."""

    title: str
    about: str
    statements: tuple[ThemedStatement, ...]


@dataclass(frozen=True, slots=True)
class OverrideThemes:
    """The themes of one reviewer, the largest first, by the newest run that is of what stands now, else the newest.

    ``read``: statements that the ``model`` was given, ``of`` those that there were. ``changed``: the command would make
    them again, since a label, a verdict, a reason or a note has changed.
    """

    reviewer: str
    model: str
    made_at: str
    read: int
    of: int
    changed: bool
    themes: tuple[OverrideTheme, ...]


def override_themes(
    reader: sqlite3.Connection, reviewer: str, to: tuple[str, ...], listed: Collection[str] | None = None
) -> OverrideThemes | None:
    """Those of a reviewer, for ``to``, who reads them; ``None`` where none were made, and where one of the statements
    that they were made of is not ``listed``, but held back."""
    labels = tellable(reader, reviewer, to)
    now = overridden_id(reviewer, labels)
    row = reader.execute(_MADE, (THEMES, reviewer, now)).fetchone()
    if row is None:
        return None
    report: dict[str, Any] = json.loads(row["report"])
    if listed is not None and not set(report["statements"]) <= set(listed):
        return None
    by_id = {one.statement_id: one for one in labels}
    themes = [
        OverrideTheme(
            one["title"],
            one["about"],
            tuple(ThemedStatement(each, load_name(reader, each), by_id.get(each)) for each in one["statements"]),
        )
        for one in report["themes"]
    ]
    return OverrideThemes(
        reviewer=reviewer,
        model=row["model"],
        made_at=row["finished_at"],
        read=len(report["statements"]),
        of=report["of"],
        changed=row["item_id"] != now,
        themes=tuple(sorted(themes, key=lambda theme: -len(theme.statements))),
    )
