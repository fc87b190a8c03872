"""The columns of every exported file: their names, order, types and meaning. The code book is printed from here."""

from dataclasses import dataclass
from typing import Final, Literal

from medreview.labels import (
    AXES,
    EVIDENCE,
    FLAGS,
    HALLUCINATION,
    QUOTE_DOUBTS,
    QUOTE_STATUSES,
    REASONS,
    REVEALS,
    TIE_RULES,
    VIAS,
    Label,
)
from medreview.study.statement_edits import RETIRED_HOW

Type = Literal["text", "integer", "number", "boolean", "time"]

EXPORT_VERSION: Final = 3
"""Raised when a column changes its meaning. Since 2 ``mode`` of labels.csv says what had been seen (blind, assisted);
before, it said how the queue was shown. Since 3 statements.csv holds permanent random numbers; before, the places of
those that were drawn."""
IMPORTED_VERSIONS: Final = (1, 2, 3)
"""The versions that can be imported."""


DOUBT_MEANING: Final = (
    "What speaks against a quote that is in the page, as a proof of support: it is off topic, among instructions to a "
    "judge, or its claim stands only in text that is not open; none = nothing. Empty where that was not looked at."
)


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``levels``: the values it can have, when they are few. Numbers and booleans are never quoted."""

    name: str
    type: Type
    meaning: str
    unit: str = ""
    levels: tuple[str, ...] = ()


def levels_of(labels: tuple[Label, ...]) -> tuple[str, ...]:
    """The levels of an axis or list of labels, as the values of a column."""
    return tuple(label.level for label in labels)


_EVIDENCE: Final = levels_of(EVIDENCE)
_HALLUCINATION: Final = levels_of(HALLUCINATION)
_REASONS: Final = levels_of(REASONS)
_EXPOSURE: Final = ("no", "before", "after")
_JURY_RULES: Final = tuple(f"plurality, tie {rule}" for rule in TIE_RULES)
_MODES: Final = ("blind", "open")
_LABEL_MODES: Final = ("blind", "assisted")
_AXES: Final = tuple(AXES)
EXPOSURE: Final = (
    ("judge_verdict", "the judges' verdict"), ("judge_quote", "the judge's quote"),
    ("judge_highlight", "the judge's highlights"), ("jury", "the jury"), ("model_name", "the model's name"),
    ("queue_reason", "why it is in the queue"), ("judge_totals", "figures of the judges"),
    ("own_previous", "the reviewer's own earlier label"), ("other_reviewer", "another reviewer's label or note"),
)  # fmt: skip
"""What may have been seen before a decision: the part of its exposure, and what that is."""
CODE_POINTS: Final = "code points, 0-based"
UTF16: Final = "UTF-16 code units, 0-based"
OCR_CONFIDENCE_COLUMN: Final = Column(
    "ocr_confidence", "number", "How sure the engine was of the page's parts that were read by OCR (the mean of their "
    "characters, no probability); empty where none was: the page has text of its own.", unit="0 to 1",
)  # fmt: skip

LABELS: Final = (
    Column("export_version", "integer", "Version of this layout."),
    Column("study_id", "text", "The study that the labels were made in."),
    Column("unit_type", "text", "What was labelled.", levels=("statement",)),
    Column("unit_id", "text", "The statement."),
    Column("response_id", "text", "The response that the statement is part of: the unit to resample."),
    Column("record_id", "text", "The id of the response's record in the file it came from."),
    Column("question_id", "text", "The question; the same for all responses to the same words."),
    Column("statement_ordinal", "integer", "Place of the statement in its response, from 1."),
    Column("statement_text", "text", "The statement."),
    Column("statement_sha256", "text", "SHA-256 of the statement's UTF-8 bytes."),
    Column("snapshot_id", "text", "The page on the screen when verdict_final was given."),
    Column("source_url", "text", "Address of that page's source; judge_quote is of judge_source_url."),
    Column("source_text_sha256", "text", "SHA-256 of that page's text."),
    Column("source_fetched_at", "time", "When that page was fetched.", unit="UTC"),
    Column("extractor", "text", "What made the text of that page, with its version."),
    Column("response_model", "text", "The model that gave the response."),
    Column("origin", "text", "Where the question came from: a stratum."),
    Column("judge_run_id", "text", "The run of the judgement that is shown first."),
    Column("judge_model", "text", "Its model."),
    Column("judge_prompt_sha256", "text", "Its prompt; empty when not known."),
    Column("judge_raw_label", "text", "Its own word, as given."),
    Column("judge_verdict", "text", "The judges' verdict over all sources and judges; empty when tied, or when their "
           "labels map to none (two-way judgements).", levels=_EVIDENCE),
    Column("judge_supported", "boolean", "The judges' two-way verdict; empty when tied or not known."),
    Column("judge_conflict", "boolean", "1: one source supports, another contradicts."),
    Column("judge_confidence", "number", "Confidence of the judgement that is shown first.", unit="0 to 1"),
    Column("judge_source_url", "text", "Address of the source that it judged the statement by."),
    Column("judge_quote", "text", "Its quote."),
    Column("judge_quote_status", "text", "How true that quote is to that source's page; none = no quote was given.",
           levels=QUOTE_STATUSES),
    Column("judge_quote_doubt", "text", DOUBT_MEANING, levels=QUOTE_DOUBTS),
    Column("jury_n", "integer", "Judges with a verdict."),
    Column("jury_for", "integer", "Judges whose verdict is judge_verdict (when tied, the size of the largest party)."),
    Column("jury_against", "integer", "Judges with another verdict."),
    Column("jury_abstained", "integer", "Judges that were asked and gave no verdict: unsure, refused, failed."),
    Column("jury_rule", "text", "How their verdicts become one, and what a tie gives; empty when none has spoken.",
           levels=_JURY_RULES),
    Column("jury_tie", "boolean", "1: the judges are even, whatever the rule makes of it."),
    Column("reviewer_id", "text", "Who labelled."),
    Column("pass_no", "integer", "Which time this reviewer went through the study, from 1."),
    Column("mode", "text", "blind: verdict_first was given before anything of the judges' opinion had been seen, in "
           "whatever queue; assisted: it had been (without a verdict: by the last event). Never pool them.",
           levels=_LABEL_MODES),
    Column("verdict_first", "text", "The decision on the evidence axis that stood when the judges' opinion was seen; "
           "where it was seen from the start, the first that still stands.", levels=_EVIDENCE),
    Column("verdict_final", "text", "The current decision on the evidence axis.", levels=_EVIDENCE),
    Column("changed_after_reveal", "boolean", "1: verdict_first is blind and was changed once the judges' opinion "
           "had been seen; empty without a decision."),
    Column("halluc_type", "text", "The current decision on the hallucination axis; none = nothing invented or wrong.",
           levels=_HALLUCINATION),
    Column("reason_code", "text", "Why verdict_final differs from the judges.", levels=_REASONS),
    Column("note", "text", "The reviewer's current note."),
    *(Column(f"flag_{flag.level}", "boolean", f"1: flagged. {flag.definition}") for flag in FLAGS),
    Column("deferred_times", "integer", "How often it was put off."),
    Column("n_spans", "integer", "Spans that stand in spans.csv."),
    Column("exposure_judge_verdict", "text", "Whether the judges' verdict was seen: before verdict_first, only after "
           "it, or not at all; empty when not known.", levels=_EXPOSURE),
    Column("exposure_judge_highlight", "text", "The same for the judges' highlights in the page.", levels=_EXPOSURE),
    Column("exposure_jury", "text", "The same for how they are divided, if they are (jury_n).", levels=_EXPOSURE),
    Column("queue_name", "text", "The queue in which verdict_first was given (without one: the last queue)."),
    Column("stratum", "text", "Stratum of the random audit; empty when not drawn."),
    Column("inclusion_prob", "number", "Probability of being drawn; empty when not drawn.", unit="0 to 1"),
    Column("n_events", "integer", "Events of this reviewer on this statement in this pass, retracted ones too."),
    Column("first_shown_utc", "time", "When it was first shown.", unit="UTC"),
    Column("decided_utc", "time", "When verdict_final was given.", unit="UTC"),
    Column("active_ms", "integer", "Working time up to verdict_first, as the workbench measured it.", unit="ms"),
    Column("wall_ms", "integer", "Time from the last recorded showing to verdict_first.", unit="ms"),
    Column("n_keys", "integer", "Keys pressed up to verdict_first."),
    Column("label_set_version", "text", "Version of the label set at verdict_final (without one: at the last event)."),
    Column("guideline", "text", "The guidelines that verdict_final was given by: the beginning of the SHA-256 of their "
           "text; empty without a decision, or when an earlier version made it."),
    Column("stale", "boolean", "1: statement or page has another text now than when verdict_final was given; empty "
           "without a decision, or when that page is not in this study."),
    Column("first_event_id", "text", "The first event of the row."),
    Column("last_event_id", "text", "The last event of the row."),
    Column("label_from_pairs", "text", "What this reviewer's labels on the statement's pairs come to, by the judges' "
           "rule over sources; empty until all are labelled, unless one supports.", levels=_EVIDENCE),
    Column("supported_from_pairs", "boolean", "The same two-way, also of labels that only tell supported from not."),
    Column("pairs_labelled", "integer", "Pairs with such a label on the page as it is; empty when there is none."),
    Column("pairs", "integer", "All pairs of the statement."),
    Column("retired", "text", "How the statement was edited away; then it counts no more.", levels=RETIRED_HOW),
)  # fmt: skip

SPANS: Final = (
    Column("span_id", "text", "The event that marked the span."),
    Column("unit_id", "text", "The statement it was marked for, or KIND:ID of another unit."),
    Column("reviewer_id", "text", "Who marked it."),
    Column("pass_no", "integer", "In which pass."),
    Column("target_type", "text", "Which text it lies in: response, source, passage, note, output, reference."),
    Column(
        "target_id", "text", "That response, snapshot, note or output; of a text that the unit holds once, the unit."
    ),
    Column("target_sha256", "text", "SHA-256 of the text when it was marked."),
    Column("start_cp", "integer", "Start of the half-open range.", unit=CODE_POINTS),
    Column("end_cp", "integer", "End of the half-open range.", unit=CODE_POINTS),
    Column("start_utf16", "integer", "Start for JavaScript and Excel; empty when the text is not at hand.", unit=UTF16),
    Column("end_utf16", "integer", "End for JavaScript and Excel; empty when the text is not at hand.", unit=UTF16),
    Column("exact", "text", "The marked text."),
    Column("prefix32", "text", "Up to 32 code points before it; empty when the text is not at hand."),
    Column("suffix32", "text", "Up to 32 code points after it; empty when the text is not at hand."),
    Column("label", "text", "The level that the span is marked with."),
    Column("axis", "text", "The axis of the level.", levels=_AXES),
    Column("reason", "text", "Why, in the reviewer's words or by a reason's code; empty when not said."),
    Column("with_span_id", "text", "The other span of a conflict between two parts of a text."),
    Column("stale", "boolean", "1: the text is no longer the one that was marked; empty when it is not at hand."),
)

JUDGEMENTS: Final = (
    Column("judgement_id", "text", "The judgement."),
    Column("judge_run_id", "text", "The run of a judge that gave it."),
    Column("judge", "text", "Name of the judge."),
    Column(
        "kind",
        "text",
        "The offline judge, one whose judgements came in a file, or a model that was asked from here.",
        levels=("offline", "recorded", "llm"),
    ),
    Column("model", "text", "Model of the judge."),
    Column("prompt_id", "text", "Its prompt."),
    Column("prompt_sha256", "text", "SHA-256 of the prompt; empty when not known."),
    Column("seed", "integer", "Its seed; empty when none."),
    Column("statement_id", "text", "The statement judged."),
    Column("response_id", "text", "The response it is part of."),
    Column("snapshot_id", "text", "The page judged."),
    Column("source_id", "text", "The source of the page."),
    Column("source_url", "text", "Address of the source."),
    Column("raw_label", "text", "The judge's own word, as given."),
    Column("verdict", "text", "Its level; empty when the raw label maps to none.", levels=_EVIDENCE),
    Column("supported", "boolean", "Two-way verdict; empty when the judge could not tell."),
    Column("confidence", "number", "As given; empty when none.", unit="0 to 1"),
    Column(
        "quote_status", "text", "How true the quote is to the page; none = no quote was given.", levels=QUOTE_STATUSES
    ),
    Column("quote_doubt", "text", DOUBT_MEANING, levels=QUOTE_DOUBTS),
    Column("quote_start", "integer", "Where the quote starts in the page's text.", unit=CODE_POINTS),
    Column("quote_end", "integer", "Where it ends.", unit=CODE_POINTS),
    Column("quote", "text", "The quote as given."),
    Column("reason", "text", "The reason as given."),
    Column("error", "text", "Why there is no usable judgement; empty when there is one."),
    Column(
        "vote",
        "boolean",
        "1: it counts. One judgement of a judge on a source does: that of its newest run, on the page as it is now. "
        "Of the offline judge only where no other spoke on the statement.",
    ),
    Column(
        "abstained",
        "boolean",
        "1: it would count, but gives no vote: unsure, not answered, or supported without a quote that shows it. With "
        "vote 0 and abstained 0 it is not the judge's word any more, or the offline judge's beside another's.",
    ),
)

EVENTS: Final = (
    Column("event_id", "text", "The event (a ULID: their order is the order in time)."),
    Column("at_utc", "time", "When it happened.", unit="UTC"),
    Column("reviewer", "text", "Who did it."),
    Column("session", "text", "In which sitting."),
    Column("kind", "text", "What was done.", levels=("shown", "decide", "revise", "retract", "reveal", "reason",
           "defer", "flag", "note", "span_add", "span_del", "promote", "audit_rate", "audit_release", "look",
           "listed", "adjudicate", "background", "guideline", "guideline_read", "split", "join", "exclude", "span_move",
           "finding", "fact_add", "share_rate", "pass_rate")),
    Column("unit", "text", "The statement, or KIND:ID for another unit; of what is done to the study as a whole, the "
           "study."),
    Column("snapshot", "text", "The page on the screen."),
    Column("pass", "integer", "Which time the reviewer went through the study."),
    Column("block", "text", "The queue."),
    Column("mode", "text", "Whether the judges' opinion was hidden.", levels=_MODES),
    Column("undoes_event", "text", "The event that this one takes back."),
    Column("app_version", "text", "Version of medreview."),
    Column("label_set_version", "text", "Version of the label set."),
    Column("previous_hash", "text", "Hash of the event before it."),
    Column("hash", "text", "SHA-256 of the event and the hash before it."),
    Column("payload", "text", "Which values the event has beside the columns above: name:type, parted by blanks (s "
           "text, i whole number, f number, b boolean, z no value, o object, a list; a dot goes one level down). "
           "The values stand in the columns payload_NAME, all others in event_values.csv."),
)  # fmt: skip

PAYLOAD: Final = {
    "axis": Column("payload_axis", "text", f"Axis of a decision or span: {', '.join(AXES)}; of a ranking's outputs "
                   "quality/1, quality/2, ..."),
    "label": Column("payload_label", "text", "Level of a decision or span."),
    "judge_verdict": Column("payload_judge_verdict", "text", "The judges' verdict at that time.", levels=_EVIDENCE),
    "decision": Column("payload_decision", "text", "The decision that a reason belongs to."),
    "code": Column("payload_code", "text", "Reason code.", levels=_REASONS),
    "text": Column("payload_text", "text", "Text of a note, of the guidelines, or of what was left out and became a "
                   "statement."),
    "flag": Column("payload_flag", "text", "Which flag.", levels=levels_of(FLAGS)),
    "on": Column("payload_on", "boolean", "1: the flag was set, 0: taken back."),
    "target": Column("payload_target", "text", "Text in which a span lies: response, source, source:ID, passage, "
                     "note:ID, output:N, reference."),
    "start": Column("payload_start", "integer", "Start of a span, or of what was left out.", unit=CODE_POINTS),
    "end": Column("payload_end", "integer", "End of a span, or of what was left out.", unit=CODE_POINTS),
    "exact": Column("payload_exact", "text", "Text of a span."),
    "sha256": Column("payload_sha256", "text", "SHA-256 of the text in which a span lies, or of the guidelines."),
    "guideline": Column("payload_guideline", "text", "The guidelines by which a label was given: the beginning of the "
                        "SHA-256 of their text (the event guideline, or the definitions of the labels)."),
    "span": Column("payload_span", "text", "The span that was removed."),
    "filter": Column("payload_filter", "text", "Filter of the queue in which a decision was given."),
    "via": Column("payload_via", "text", "How a decision was given.", levels=VIAS),
    "reveal": Column("payload_reveal", "text", "When a blind decision shows the judges: at the end of its block, or at "
                     "once.", levels=REVEALS),
    "active_ms": Column("payload_active_ms", "integer", "Working time.", unit="ms"),
    "keys": Column("payload_keys", "integer", "Keys pressed."),
    "snapshot_sha256": Column("payload_snapshot_sha256", "text", "SHA-256 of the page's text."),
    "statement_sha256": Column("payload_statement_sha256", "text", "SHA-256 of the statement."),
    **{
        f"exposure.{what}": Column(f"payload_exposure_{what}", "text",
                                   f"Seen before the decision: {words}.", levels=_EXPOSURE)
        for what, words in EXPOSURE
    },
}  # fmt: skip
"""Name of a payload value -> its column in events.csv."""

EVENT_VALUES: Final = (
    Column("event_id", "text", "The event."),
    Column("name", "text", "Name of a value for which events.csv has no column, as written in its column payload."),
    Column("value", "text", "The value."),
)

CODEBOOK: Final = (
    Column("file", "text", "The file."),
    Column("column", "text", "The column, in the order of the file."),
    Column("type", "text", "What its cells hold; booleans are 0 and 1, times ISO 8601; empty = missing.",
           levels=("text", "integer", "number", "boolean", "time")),
    Column("unit", "text", "Its unit."),
    Column("levels", "text", "The values it can have, parted by blanks; empty = any."),
    Column("meaning", "text", "What it says."),
)  # fmt: skip

EXCEL: Final = (
    Column("guarded", "text", "Columns of this row with a leading ' so that no program takes the text for a formula, a "
           "number or a day."),
    Column("truncated", "text", "Columns of this row that were cut, because Excel holds 32,767 characters in a cell."),
)  # fmt: skip
"""Added to every file in the dialect for Excel."""
