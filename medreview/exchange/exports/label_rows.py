"""labels.csv: a row for every statement, reviewer and pass with an event on the statement that was not retracted;
unit_labels.csv: a row for every unit of any kind, reviewer, pass and axis; and reviewers.csv."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, partial
from itertools import groupby
from operator import itemgetter
from types import SimpleNamespace
from typing import Annotated, Any, Final, Literal, NamedTuple

from medreview.exchange.exports.missing_words import hidden_statements, jury_verdict, no_two_way, no_verdict
from medreview.exchange.exports.unit_rows import UNIT
from medreview.exchange.files.columns import (
    CLUSTER_MEANING,
    DOUBT_MEANING,
    EXPORT_VERSION,
    EXPOSURE,
    SEEN,
    Cell,
    Column,
    ExportFile,
    about,
    cells,
    cells_of,
    columns_of,
    levels_of,
    selected,
)
from medreview.judges.rollup import tie_rule
from medreview.labels import (
    ADJUDICATED_BY,
    EVIDENCE,
    FLAGS,
    HALLUCINATION,
    QUOTE_DOUBTS,
    QUOTE_STATUSES,
    REASONS,
    TIE_RULES,
)
from medreview.stats.clusters import study_clusters
from medreview.stats.reports.reviewer_labels import JuryVerdict, from_draw, group_of, waiting_members
from medreview.study.ids import STATEMENT, content_id, kind_of
from medreview.study.own_axes import OwnAxis, own_axes
from medreview.study.rows import dict_of, rows_in_turn
from medreview.study.statement_edits import RETIRED_HOW
from medreview.study.study_acts import backgrounds
from medreview.study.unit_faults import response_of
from medreview.units.derived_label import derived_labels
from medreview.units.label_comparisons import told_results
from medreview.units.registry import KINDS

_EVIDENCE: Final = levels_of(EVIDENCE)
_DEFINITIONS: Final = {flag.level: flag.definition for flag in FLAGS}


def flagged(level: str) -> Column:
    """Whether a flag stands."""
    return about(f"1: flagged. {_DEFINITIONS[level]}", made=lambda one: one.flags.get(level, 0))


def tagged(one: SimpleNamespace) -> str | None:
    """The tags that stand, parted by blanks."""
    return " ".join(sorted(tag for tag, on in one.tags.items() if on)) or None


def deferred(one: SimpleNamespace) -> int:
    """How often something was put off, by its :func:`acts`."""
    return sum(event["kind"] == "defer" for event in one.live)


def spans(one: SimpleNamespace) -> int:
    """How many spans stand of it."""
    return sum(event["span"] for event in one.events)


def first_shown(one: SimpleNamespace) -> str | None:
    """When it was first shown."""
    return min((event["at_utc"] for event in one.live if event["kind"] == "shown"), default=None)


def _from_pairs(meaning: str, made: Callable[[Any], Cell], levels: tuple[str, ...] = ()) -> Column:
    """What the same reviewer's labels on the statement's pairs come to."""
    return about(meaning, levels=levels, made=lambda one: one.derived and made(one.derived))


def _of(event: str, name: str) -> Callable[[Any], Cell]:
    """The cell is what the ``first`` or ``final`` decision's event has of this name."""
    return lambda one: getattr(one, event).get(name)


def _said(event: str, name: str) -> Callable[[Any], Cell]:
    """The cell is what the payload of that event has of this name."""
    return lambda one: getattr(one, event)["said"].get(name)


def _seen(what: str) -> Callable[[Any], Cell]:
    """The cell says when it was seen: before the first decision, only after it, or not at all."""

    def made(one: SimpleNamespace) -> str | None:
        before = one.first["said"].get("exposure", {}).get(what)
        if before != "no":
            return str(before) if before else None
        # Seen by the record, which a merged copy completes, though not by what was known when it was decided.
        if one.first["mode"] == "blind" and one.first["label_mode"] == "assisted":
            return "before"
        # A retracted reveal counts: what was seen cannot be unseen.
        revealed = any(e["kind"] == "reveal" and e["event_id"] > one.first["event_id"] for e in one.events)
        return "after" if revealed or one.final["said"].get("exposure", {}).get(what, "no") != "no" else "no"

    return made


def _stale(one: SimpleNamespace) -> int | None:
    final, now = one.final, one.statement["statement_sha256"]
    if "event_id" not in final:
        return None
    if final["said"].get("statement_sha256", now) != now:
        return 1
    return None if final["snapshot"] and final["newest_sha256"] is None and not final["stale"] else int(final["stale"])


def _wall_ms(one: SimpleNamespace) -> int | None:
    """From the last time it came on the screen; a clock that was set back gives 0."""
    first = one.first
    shown = [e["at_utc"] for e in one.events if e["kind"] == "shown" and e["event_id"] < first.get("event_id", "")]
    if not shown:
        return None
    passed = datetime.fromisoformat(first["at_utc"]) - datetime.fromisoformat(shown[-1])
    return max(0, round(passed.total_seconds() * 1000))


def _said_by_judges(one: SimpleNamespace) -> JuryVerdict | Literal["hidden"] | None:
    return "hidden" if one.hidden else jury_verdict(one.statement)


def _from_audit(one: SimpleNamespace) -> bool | None:
    """By the event of the label that counts: the first of a blind one, else the one that stands."""
    mode = one.met["label_mode"]
    event = one.first if mode == "blind" else one.final
    if "event_id" not in event:
        return None
    given = from_draw(event["block"], mode, drawn=one.statement["inclusion_prob"] is not None)
    return bool(group_of(mode, given, bool(event["said"].get("filter")), one.waits).drawn)


# fmt: off
class LabelRow(NamedTuple):
    """What one reviewer said of one statement in one pass; the columns of ``labels.csv``."""

    export_version: Annotated[int, about("Version of this layout.", sql=str(EXPORT_VERSION))]
    study_id: Annotated[str, about("The study that the labels were made in.",
                                   sql="(SELECT value FROM study WHERE key = 'study_id')")]
    unit_type: Annotated[str, about("What was labelled.", levels=("statement",), sql="'statement'")]
    unit_id: Annotated[str, about("The statement.", sql="s.statement_id")]
    response_id: Annotated[str, about("The response that the statement is part of.", sql="s.response_id")]
    cluster_id: Annotated[str, about(CLUSTER_MEANING, made=lambda one: one.cluster)]
    record_id: Annotated[str | None, about("The id of the response's record in the file it came from.")]
    question_id: Annotated[str | None, about(
        "The question; the same for all responses to the same words.", sql="r.question",
        made=lambda one: content_id("q", one.statement["question_id"]) if one.statement["question_id"] else None)]
    statement_ordinal: Annotated[int, about("Place of the statement in its response, from 1.", sql="s.ordinal")]
    statement_text: Annotated[str, about("The statement.", sql="s.text")]
    statement_sha256: Annotated[str, about("SHA-256 of the statement's UTF-8 bytes.", sql="s.text_sha256")]
    snapshot_id: Annotated[str | None, about("The page on the screen when verdict_final was given.",
                                             made=_of("final", "snapshot"))]
    source_url: Annotated[str | None, about("Address of that page's source; judge_quote is of judge_source_url.",
                                            made=_of("final", "url"))]
    source_text_sha256: Annotated[str | None, about("SHA-256 of that page's text.", made=_of("final", "page_sha256"))]
    source_fetched_at: Annotated[datetime | None, about("When that page was fetched.", unit="UTC",
                                                        made=_of("final", "fetched_at"))]
    extractor: Annotated[str | None, about("What made the text of that page, with its version.",
                                           made=_of("final", "extractor"))]
    response_model: Annotated[str | None, about("The model that gave the response.", sql="r.model")]
    origin: Annotated[str | None, about("Where the question came from: a stratum.")]
    judge_run_id: Annotated[str | None, about("The run of the judgement that is shown first.", sql="j.judge_run_id")]
    judge_model: Annotated[str | None, about("Its model.", sql="run.model")]
    judge_prompt_sha256: Annotated[str | None, about("Its prompt; empty when not known.", sql="run.prompt_sha256")]
    judge_raw_label: Annotated[str | None, about("Its own word, as given.", sql="j.raw_label")]
    judge_verdict: Annotated[str | None, about(
        "The judges' verdict over all sources and judges: of several the one that most have; empty without one, which "
        "judge_verdict_missing says why.", levels=_EVIDENCE, sql="v.verdict")]
    judge_verdict_missing: Annotated[str | None, no_verdict(
        "judge_verdict", lambda one: one.statement["judge_verdict"], _said_by_judges)]
    judge_supported: Annotated[bool | None, about(
        "The judges' two-way verdict, of votes of its own: supported by most of them or not; empty without one, which "
        "judge_supported_missing says why.", sql="v.supported")]
    judge_supported_missing: Annotated[str | None, no_two_way(
        "judge_supported", lambda one: one.statement["judge_supported"], _said_by_judges)]
    judge_conflict: Annotated[bool | None, about("1: one source supports, another contradicts.", sql="v.conflict")]
    judge_confidence: Annotated[float | None, about("Confidence of the judgement that is shown first.", unit="0 to 1",
                                                    sql="j.confidence")]
    judge_source_url: Annotated[str | None, about("Address of the source that it judged the statement by.",
                                                  sql="judged.url")]
    judge_quote: Annotated[str | None, about("Its quote.", sql="j.quote")]
    judge_quote_status: Annotated[str | None, about(
        "How true that quote is to that source's page; none = no quote was given.", levels=QUOTE_STATUSES,
        sql="j.quote_status")]
    judge_quote_doubt: Annotated[str | None, about(DOUBT_MEANING, levels=QUOTE_DOUBTS, sql="j.quote_doubt")]
    jury_n: Annotated[int | None, about("Judges with a verdict.", sql="v.votes_for + v.votes_other")]
    jury_for: Annotated[int | None, about(
        "Judges whose verdict is judge_verdict (when tied, the size of the largest party).", sql="v.votes_for")]
    jury_against: Annotated[int | None, about("Judges with another verdict.", sql="v.votes_other")]
    jury_abstained: Annotated[int | None, about(
        "Judges that were asked and gave no verdict: unsure, refused, failed.", sql="v.abstained")]
    jury_rule: Annotated[str | None, about(
        "How their verdicts become one, and what a tie gives; empty when none has spoken.",
        levels=tuple(f"plurality, tie {rule}" for rule in TIE_RULES),
        made=lambda one: f"plurality, tie {one.tie}" if one.statement["jury_for"] else None)]
    jury_tie: Annotated[bool | None, about("1: the judges are even, whatever the rule makes of it.", sql="v.tied")]
    reviewer_id: Annotated[str, about("Who labelled.", made=lambda one: one.met["reviewer"])]
    pass_no: Annotated[int, about("Which time this reviewer went through the study, from 1.",
                                  made=lambda one: one.met["pass"])]
    mode: Annotated[str, about(
        "blind: verdict_first was given before anything of the judges' opinion had been seen, in whatever queue; "
        "assisted: it had been (without a verdict: by the last event). Never pool them.", levels=("blind", "assisted"),
        made=lambda one: one.met["label_mode"] or ("assisted" if one.met["judges_seen"] else "blind"))]
    from_audit: Annotated[bool | None, about(
        "1: the label counts as one of the random audit; 0: as one of other queues, of statements that were chosen. "
        "With mode this makes the four groups that are never pooled. Empty without a verdict.", made=_from_audit)]
    verdict_first: Annotated[str | None, about(
        "The decision on the evidence axis that stood when the judges' opinion was seen; where it was seen from the "
        "start, the first that still stands.", levels=_EVIDENCE, made=_said("first", "label"))]
    verdict_final: Annotated[str | None, about("The current decision on the evidence axis.", levels=_EVIDENCE,
                                               made=_said("final", "label"))]
    changed_after_reveal: Annotated[bool | None, about(
        "1: verdict_first is blind and was changed once the judges' opinion had been seen; empty without a decision.",
        made=_of("first", "changed_after_reveal"))]
    halluc_type: Annotated[str | None, about(
        "The current decision on the hallucination axis; none = nothing invented or wrong.",
        levels=levels_of(HALLUCINATION), made=_said("hallucination", "label"))]
    reason_code: Annotated[str | None, about(
        "Why verdict_final differs from the judges.", levels=levels_of(REASONS),
        made=lambda one: one.reasons.get(one.final.get("event_id", "")))]
    note: Annotated[str | None, about("The reviewer's current note.", made=lambda one: one.note)]
    flag_dispute: Annotated[bool, flagged("dispute")]
    flag_feedback: Annotated[bool, flagged("feedback")]
    flag_badly_parsed: Annotated[bool, flagged("badly_parsed")]
    tags: Annotated[str | None, about("The reviewer's tags on it, parted by blanks.", made=tagged)]
    deferred_times: Annotated[int, about("How often it was put off.", made=deferred)]
    n_spans: Annotated[int, about("Spans that stand in spans.csv.", made=spans)]
    exposure_judge_verdict: Annotated[str | None, about(
        "Whether the judges' verdict was seen: before verdict_first, only after it, or not at all; empty when not "
        "known.", levels=SEEN, made=_seen("judge_verdict"))]
    exposure_judge_highlight: Annotated[str | None, about("The same for the judges' highlights in the page.",
                                                          levels=SEEN, made=_seen("judge_highlight"))]
    exposure_jury: Annotated[str | None, about("The same for how they are divided, if they are (jury_n).", levels=SEEN,
                                               made=_seen("jury"))]
    queue_name: Annotated[str, about(
        "The queue in which verdict_first was given (without one: the last queue).",
        made=lambda one: one.met["block"])]
    stratum: Annotated[str | None, about("Stratum of the random audit; empty when not drawn.")]
    inclusion_prob: Annotated[float | None, about("Probability of being drawn; empty when not drawn.", unit="0 to 1")]
    n_events: Annotated[int, about(
        "Events of this reviewer on this statement in this pass, retracted ones too.",
        made=lambda one: len(one.events))]
    first_shown_utc: Annotated[datetime | None, about("When it was first shown.", unit="UTC",
                                                      made=first_shown)]
    decided_utc: Annotated[datetime | None, about("When verdict_final was given.", unit="UTC",
                                                  made=_of("final", "at_utc"))]
    active_ms: Annotated[int | None, about("Working time up to verdict_first, as the workbench measured it.",
                                           unit="ms", made=_said("first", "active_ms"))]
    wall_ms: Annotated[int | None, about("Time from the last recorded showing to verdict_first.", unit="ms",
                                         made=_wall_ms)]
    n_keys: Annotated[int | None, about("Keys pressed up to verdict_first.", made=_said("first", "keys"))]
    label_set_version: Annotated[str, about(
        "Version of the label set at verdict_final (without one: at the last event).",
        made=lambda one: {**one.events[-1], **one.final}["label_set_version"])]
    guideline: Annotated[str | None, about(
        "The guidelines that verdict_final was given by: the beginning of the SHA-256 of their text; empty without a "
        "decision, or when an earlier version made it.", made=_said("final", "guideline"))]
    stale: Annotated[bool | None, about(
        "1: statement or page has another text now than when verdict_final was given; empty without a decision, or "
        "when that page is not in this study.", made=_stale)]
    first_event_id: Annotated[str, about("The first event of the row.", made=lambda one: one.events[0]["event_id"])]
    last_event_id: Annotated[str, about("The last event of the row.", made=lambda one: one.events[-1]["event_id"])]
    label_from_pairs: Annotated[str | None, _from_pairs(
        "What this reviewer's labels on the statement's pairs come to, by the judges' rule over sources; empty until "
        "all are labelled, unless one supports.", lambda derived: derived.label, _EVIDENCE)]
    supported_from_pairs: Annotated[bool | None, _from_pairs(
        "The same two-way, also of labels that only tell supported from not.",
        lambda derived: derived.supported)]
    pairs_labelled: Annotated[int | None, _from_pairs(
        "Pairs with such a label on the page as it is; empty when there is none.", lambda derived: derived.labelled)]
    pairs: Annotated[int | None, _from_pairs("All pairs of the statement.", lambda derived: derived.pairs)]
    retired: Annotated[str | None, about("How the statement was edited away; then it counts no more.",
                                         levels=RETIRED_HOW, sql="x.how")]
# fmt: on


_COLUMNS: Final = columns_of(LabelRow)

# CROSS JOIN fixes the order of the loops, so that rows come sorted from the indexes and are never all held at once.
_MATERIAL: Final = f"""{selected(_COLUMNS)}, v.judgement_id IS NOT NULL AS judged
FROM response AS r CROSS JOIN statement AS s ON s.response_id = r.response_id
LEFT JOIN verdict AS v ON v.statement_id = s.statement_id
LEFT JOIN judgement AS j ON j.judgement_id = v.judgement_id
LEFT JOIN judge_run AS run ON run.judge_run_id = j.judge_run_id
LEFT JOIN snapshot AS page ON page.snapshot_id = j.snapshot_id
LEFT JOIN source AS judged ON judged.source_id = page.source_id
LEFT JOIN audit_item AS a ON a.statement_id = s.statement_id
LEFT JOIN retired_statement AS x ON x.statement_id = s.statement_id
WHERE EXISTS (SELECT 1 FROM event WHERE unit = s.statement_id)
ORDER BY r.ordinal, s.ordinal"""

_EVENTS: Final = """
SELECT e.unit, e.event_id, e.at_utc, e.reviewer, e.kind, e.pass, e.block, e.mode, e.payload, e.label_set_version,
       e.event_id IN (SELECT event_id FROM event_live) AS live,
       l.first_event IS e.event_id AS is_first,
       e.event_id IN (SELECT event_id FROM decision_current) AS is_current,
       e.snapshot, p.text_sha256 AS page_sha256, p.fetched_at, p.extractor, u.url,
       (SELECT text_sha256 FROM snapshot WHERE snapshot_id = u.current_snapshot) AS newest_sha256,
       e.event_id IN (SELECT event_id FROM decision_stale) AS stale,
       e.event_id IN (SELECT event_id FROM span_live) AS span,
       seen.event_id AS judges_seen, l.mode AS label_mode, l.changed_after_reveal
FROM response AS r CROSS JOIN statement AS s ON s.response_id = r.response_id
CROSS JOIN event AS e ON e.unit = s.statement_id
LEFT JOIN snapshot AS p ON p.snapshot_id = e.snapshot AND e.kind IN ('decide', 'revise')
LEFT JOIN source AS u ON u.source_id = p.source_id
LEFT JOIN judges_seen AS seen ON seen.reviewer = e.reviewer AND seen.unit = e.unit
LEFT JOIN axis_label AS l ON l.reviewer = e.reviewer AND l.pass = e.pass AND l.unit = e.unit AND l.axis = 'evidence'
ORDER BY r.ordinal, s.ordinal, e.reviewer, e.pass, e.event_id"""


def label_rows(reader: sqlite3.Connection, own: Sequence[Column] = ()) -> Iterator[Sequence[Cell]]:
    """The rows by response, statement, reviewer and pass; ``own``: the columns of the study's own axes, at the end."""
    materials, tie, clusters = reader.execute(_MATERIAL), tie_rule(reader), study_clusters(reader).of
    waiting, hidden = cache(partial(waiting_members, reader)), hidden_statements(reader)
    made = cells_of((*_COLUMNS, *own))
    derived = {(one.statement_id, one.reviewer, one.pass_no): one.current for one in derived_labels(reader)}
    for unit, of_unit in groupby(reader.execute(_EVENTS), key=lambda event: event["unit"]):
        statement = next(materials)
        for who, events in groupby(of_unit, key=lambda event: (event["reviewer"], event["pass"])):
            done = acts(events)
            if all(event["kind"] in ("shown", "listed", "reveal") for event in done["live"]):
                continue  # a look is not a label
            current = {event["said"]["axis"]: event for event in done["live"] if event["is_current"]}
            first = next((event for event in done["live"] if event["is_first"]), None)
            one = SimpleNamespace(
                **done, statement=statement, tie=tie, cluster=clusters[statement["response_id"]],
                derived=derived.get((unit, *who)), waits=bool(waiting(*who)), hidden=unit in hidden,
                first=first or _NOTHING, final=current.get("evidence", _NOTHING), met=first or done["live"][-1],
                hallucination=current.get("hallucination", _NOTHING), current=current,
            )  # fmt: skip
            yield made(statement, one)


_NOTHING: Final[Mapping[str, Any]] = {"said": {}}


def acts(rows: Iterable[sqlite3.Row]) -> dict[str, Any]:
    """What one reviewer did with one unit in one pass: the events, those that stand, and what these come to."""
    events = list(map(dict_of, rows))
    for event in events:
        event["said"] = json.loads(event["payload"])
    live = [event for event in events if event["live"]]
    said = {
        kind: [event["said"] for event in live if event["kind"] == kind] for kind in ("flag", "note", "reason", "tag")
    }
    return {
        "events": events,
        "live": live,
        "flags": {one["flag"]: int(one["on"]) for one in said["flag"]},
        "tags": {one["tag"]: one["on"] for one in said["tag"]},
        "note": said["note"][-1]["text"] if said["note"] else None,
        "reasons": {one.get("decision"): one.get("code") for one in said["reason"]},
    }


LABELS: Final = ExportFile(
    "labels.csv",
    _COLUMNS,
    label_rows,
    "One row for every statement, reviewer and pass. Blind and assisted labels answer different questions: never count "
    "them together.",
    key=("unit_id", "reviewer_id", "pass_no"),
    leads={"unit_id": "statements", "cluster_id": "", "first_event_id": "events", "last_event_id": "events"},
    first=("unit_id", "reviewer_id", "pass_no", "mode", "verdict_final", "judge_verdict", "verdict_first",
           "reason_code", "note", "halluc_type", "stale", "snapshot_id"),
    facets=("verdict_final", "judge_verdict", "reviewer_id", "mode"),
)  # fmt: skip


def labels_file(reader: sqlite3.Connection) -> ExportFile:
    """The file of a study: with a column for each axis of its own that statements have."""
    own = tuple(_own_column(axis) for axis in own_axes(reader, STATEMENT).values())
    return replace(LABELS, columns=(*_COLUMNS, *own), rows=lambda reader: label_rows(reader, own)) if own else LABELS


def _own_column(axis: OwnAxis) -> Column:
    levels = "; ".join(f"{one.level} = {one.name}. {one.definition}".rstrip(". ") for one in axis.levels)
    how = "; several are joined by ;, none = none of them" if axis.many else ""
    return Column(
        f"own_{axis.name}",
        "text",
        f"The current label on the study's own axis {axis.name}, {axis.title}{how}. {levels}.",
        levels=() if axis.many else levels_of(axis.levels),
        made=lambda one: one.current.get(axis.axis, _NOTHING)["said"].get("label"),
    )


def _in(part: str, name: str) -> Callable[[Any], Cell]:
    """The cell is what the ``label`` of the axis, its ``event``, what that ``said``, the ``first`` label's event, or
    what ``settled`` the conflict has of this name."""
    return lambda one: getattr(one, part).get(name)


def _exposure(part: str, words: str) -> Column:
    meaning = f"Whether {words} had been seen before label_final; empty when not known."
    return Column(f"exposure_{part}", "text", meaning, levels=("no", "before"),
                  made=lambda one: one.said.get("exposure", {}).get(part))  # fmt: skip


def _order(shown: Any) -> str | None:
    """The numbers of a ranking's outputs as they stood on the screen, parted by blanks."""
    return " ".join(map(str, shown)) if isinstance(shown, list) else shown


_OF_UNIT: Final = (
    UNIT,
    Column("kind", "text", "Which kind of unit it is."),
    Column("cluster_id", "text", CLUSTER_MEANING),
    Column("record_id", "text", "Its id, or that of its response, in the file it came from."),
    Column("origin", "text", "Where it, or its response, came from: a stratum."),
    Column("model", "text", "The model that wrote it, or its response."),
    Column("reviewer_id", "text", "Who labelled."),
    Column("pass_no", "integer", "Which time this reviewer went through the study, from 1."),
    Column("axis", "text", "The axis of the label, own.NAME of one that the study has set for itself; without a label "
           "the main axis of the kind."),
    Column("mode", "text", "blind: label_first was given before anything of the machines' opinion had been seen; "
           "assisted: it had been. Never pool them. Empty without a label.", levels=("blind", "assisted"),
           made=_in("label", "mode")),
    Column("label_first", "text", "The label that stood when the machines' opinion was seen; where it was seen from "
           "the start, the first that still stands.",
           made=lambda one: one.label.get("first_label") or one.label.get("label")),
    Column("label_final", "text", "The current label; of a ranking the outputs' numbers, best first.",
           made=_in("label", "current")),
    Column("changed_after_reveal", "boolean", "1: label_first is blind and was changed once the machines' opinion had "
           "been seen.", made=_in("label", "changed_after_reveal")),
    Column("text", "text", "The text that the label goes with, as of a key fact that was edited.",
           made=_in("said", "text")),
    Column("category", "text", "The category that the label goes with.", made=_in("said", "category")),
    Column("via", "text", "How label_final was given.", made=_in("said", "via")),
    Column("reason_code", "text", "Why label_final differs from the machines'.",
           made=lambda one: one.reasons.get(one.label.get("current_event", ""))),
    Column("adjudicated_label", "text", "The label that settles a conflict of reviewers on this unit and axis, as long "
           "as it stands.", made=_in("settled", "label")),
    Column("adjudicated_by", "text", "Settled by a third reviewer, or by agreement.", levels=ADJUDICATED_BY,
           made=_in("settled", "adjudicated_by")),
    Column("adjudicator_id", "text", "Who recorded that.", made=_in("settled", "reviewer")),
    Column("note", "text", "The reviewer's current note on the unit."),
    *(replace(flagged(flag.level), name=f"flag_{flag.level}", type="boolean") for flag in FLAGS),
    Column("tags", "text", "The reviewer's tags on the unit, parted by blanks.", made=tagged),
    Column("deferred_times", "integer", "How often the unit was put off.",
           made=deferred),
    Column("n_spans", "integer", "Spans of the unit that stand in spans.csv.",
           made=spans),
    *(_exposure(part, words) for part, words in EXPOSURE),
    Column("shown_order", "text", "The order in which a ranking's outputs stood on the screen, by their numbers.",
           made=lambda one: _order(one.said.get("shown"))),
    Column("seed", "integer", "The seed of that order.", made=_in("said", "seed")),
    Column("guideline_version", "text", "Version of the guidelines at label_final.", made=_in("said", "guideline")),
    Column("queue_name", "text", "The queue in which label_first was given (without one: the last queue).",
           made=lambda one: {**one.live[-1], **one.first}["block"]),
    Column("first_shown_utc", "time", "When the unit was first shown.", unit="UTC", made=first_shown),
    Column("first_decided_utc", "time", "When label_first was given.", unit="UTC", made=_in("first", "at_utc")),
    Column("decided_utc", "time", "When label_final was given.", unit="UTC", made=_in("event", "at_utc")),
    Column("active_ms", "integer", "Working time up to label_final, as the workbench measured it.", unit="ms",
           made=_in("said", "active_ms")),
    Column("n_keys", "integer", "Keys pressed up to label_final.", made=_in("said", "keys")),
    Column("text_sha256", "text", "SHA-256 of the text that label_final is about.",
           made=lambda one: one.said.get("statement_sha256") or one.said.get("unit_sha256")),
    Column("label_set_version", "text", "Version of the label set at label_final.",
           made=_in("event", "label_set_version")),
    Column("first_event_id", "text", "The event of label_first.", made=_in("first", "event_id")),
    Column("final_event_id", "text", "The event of label_final.", made=_in("event", "event_id")),
    Column("n_events", "integer", "Events of this reviewer on the unit in this pass, retracted ones too.",
           made=lambda one: len(one.events)),
)  # fmt: skip


_HERE: Final = "EXISTS (SELECT 1 FROM statement AS s WHERE s.statement_id = e.unit) OR instr(e.unit, ':')"
_UNIT_EVENTS: Final = f"""
SELECT e.unit, e.event_id, e.at_utc, e.reviewer, e.kind, e.pass, e.block, e.payload, e.label_set_version,
       e.event_id IN (SELECT event_id FROM event_live) AS live,
       e.event_id IN (SELECT event_id FROM span_live) AS span
FROM event AS e
WHERE {_HERE}
ORDER BY e.unit, e.reviewer, e.pass, e.event_id"""

_LABELS: Final = f"SELECT * FROM axis_label AS e WHERE {_HERE} ORDER BY unit, reviewer, pass, axis"
_SETTLED: Final = "SELECT unit, axis, label, adjudicated_by, reviewer FROM adjudicated WHERE stands ORDER BY unit"
_OF_STATEMENT: Final = """
SELECT response_id AS cluster_id, r.record_id, r.origin, r.model
FROM statement AS s JOIN response AS r USING (response_id) WHERE s.statement_id = ?"""
_STORED: Final = "SELECT record_id, origin, model FROM unit WHERE unit_id = ?"
_RESPONSE: Final = "SELECT record_id, origin, model FROM response WHERE response_id = ?"


def _unit_label_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """By unit, reviewer, pass and axis.

    Only looking at a unit, or taking back everything, gives no row; deferring it or a note gives one without a label.
    """
    made, clusters = cells_of(_OF_UNIT), study_clusters(reader).of
    axes = dict(reader.execute("SELECT kind, axis FROM unit_kind").fetchall())
    adjudicated = rows_in_turn(reader.execute(_SETTLED), itemgetter(0))
    labelled = rows_in_turn(reader.execute(_LABELS), itemgetter("unit", "reviewer", "pass"))
    for unit, of_unit in groupby(reader.execute(_UNIT_EVENTS), key=itemgetter(0)):
        material = _material(reader, unit)
        material["cluster_id"] = clusters.get(material["cluster_id"], material["cluster_id"])
        settled = {row["axis"]: dict(row) for row in adjudicated(unit)}
        for who, events in groupby(of_unit, key=itemgetter("reviewer", "pass")):
            done, labels = acts(events), list(map(dict_of, labelled((unit, *who))))
            if all(event["kind"] in ("shown", "listed", "reveal", "adjudicate") for event in done["live"]):
                continue
            by_id = {event["event_id"]: event for event in done["live"]}
            for label in labels or [{"axis": axes[kind_of(unit)]}]:
                event = by_id[label["current_event"]] if len(label) > 1 else {}
                one = SimpleNamespace(
                    **material, **done, reviewer_id=who[0], pass_no=who[1], axis=label["axis"], label=label,
                    event=event, said=event.get("said", {}), first=by_id.get(label.get("first_event"), event),
                    settled=settled.get(label["axis"], {}) if event else {},
                )  # fmt: skip
                yield made(one)


def _material(reader: sqlite3.Connection, unit: str) -> dict[str, Any]:
    """The columns on the unit itself."""
    kind = kind_of(unit)
    named = {"unit_id": unit, "kind": kind, "record_id": None, "origin": None, "model": None}
    if kind == STATEMENT and (found := reader.execute(_OF_STATEMENT, (unit,)).fetchone()):
        return named | dict_of(found)
    response_id = response_of(reader, unit)
    row = reader.execute(_STORED, (unit,)).fetchone() or reader.execute(_RESPONSE, (response_id,)).fetchone()
    cluster = KINDS[kind].cluster(reader, unit) if kind in KINDS else response_id
    return named | {"cluster_id": cluster or unit} | (dict(row) if row else {})


UNIT_LABELS: Final = ExportFile(
    "unit_labels.csv",
    _OF_UNIT,
    _unit_label_rows,
    "One row for every unit of any kind, reviewer, pass and axis, with the label that settles a conflict. Blind and "
    "assisted labels answer different questions: never count them together.",
    key=("unit_id", "reviewer_id", "pass_no", "axis"),
    leads={"unit_id": "", "first_event_id": "events", "final_event_id": "events"},
    facets=("kind", "axis", "label_final", "reviewer_id", "mode"),
)

_REVIEWERS: Final = (
    Column("reviewer_id", "text", "The reviewer.", made=lambda one: one.name),
    Column("role", "text", "Physician, nurse, student, ..., as the reviewer says; empty, as the next three: nothing "
           "was said.", made=lambda one: one.said.role or None),
    Column("years_of_practice", "integer", "Years of practice.", unit="years", made=lambda one: one.said.years),
    Column("specialty", "text", "Specialty.", made=lambda one: one.said.specialty or None),
    Column("words", "text", "Anything else that bears on the labels.", made=lambda one: one.said.words or None),
    Column("said_utc", "text", "When that was said.", made=lambda one: one.at or None),
    Column("decided", "integer", "Units that the reviewer decided, in any pass."),
    Column("gold_right", "integer", "Gold items that the reviewer gave the right label, of the blocks that are done.",
           made=lambda one: sum(item.right for item in one.gold)),
    Column("gold_wrong", "integer", "Gold items that got another label.",
           made=lambda one: sum(not item.right for item in one.gold)),
    Column("attention_failed", "integer", "Of these the checks of attention.",
           made=lambda one: sum(item.gold.attention for item in one.gold if not item.right)),
)  # fmt: skip


def reviewer_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """By name."""
    decided = "SELECT count(*) FROM standing WHERE reviewer = ? AND state = 'decided'"
    for name, said, at in list(backgrounds(reader)):
        count, gold = reader.execute(decided, (name,)).fetchone()[0], told_results(reader, name)
        yield cells(_REVIEWERS, SimpleNamespace(name=name, said=said, at=at, decided=count, gold=gold))


REVIEWERS: Final = ExportFile(
    "reviewers.csv",
    _REVIEWERS,
    reviewer_rows,
    "Who gave the labels: what they say of themselves, and the result of gold items.",
)
