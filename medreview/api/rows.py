"""The rows of the study's tables with their types: what stands in a column, ``docs/api.md`` and the codebook say."""

from datetime import datetime
from typing import NamedTuple


class LabelRow(NamedTuple):
    """What one reviewer said of one statement in one pass; the columns of ``labels.csv``."""

    export_version: int
    study_id: str
    unit_type: str
    unit_id: str
    response_id: str
    record_id: str | None
    question_id: str | None
    statement_ordinal: int
    statement_text: str
    statement_sha256: str
    snapshot_id: str | None
    source_url: str | None
    source_text_sha256: str | None
    source_fetched_at: datetime | None
    extractor: str | None
    response_model: str | None
    origin: str | None
    judge_run_id: str | None
    judge_model: str | None
    judge_prompt_sha256: str | None
    judge_raw_label: str | None
    judge_verdict: str | None
    judge_supported: bool | None
    judge_conflict: bool | None
    judge_confidence: float | None
    judge_source_url: str | None
    judge_quote: str | None
    judge_quote_status: str | None
    judge_quote_doubt: str | None
    jury_n: int | None
    jury_for: int | None
    jury_against: int | None
    jury_abstained: int | None
    jury_rule: str | None
    jury_tie: bool | None
    reviewer_id: str
    pass_no: int
    mode: str
    verdict_first: str | None
    verdict_final: str | None
    changed_after_reveal: bool | None
    halluc_type: str | None
    reason_code: str | None
    note: str | None
    flag_dispute: bool
    flag_feedback: bool
    flag_badly_parsed: bool
    deferred_times: int
    n_spans: int
    exposure_judge_verdict: str | None
    exposure_judge_highlight: str | None
    exposure_jury: str | None
    queue_name: str
    stratum: str | None
    inclusion_prob: float | None
    n_events: int
    first_shown_utc: datetime | None
    decided_utc: datetime | None
    active_ms: int | None
    wall_ms: int | None
    n_keys: int | None
    label_set_version: str
    guideline: str | None
    stale: bool | None
    first_event_id: str
    last_event_id: str
    label_from_pairs: str | None
    supported_from_pairs: bool | None
    pairs_labelled: int | None
    pairs: int | None
    retired: str | None


class JudgementRow(NamedTuple):
    """What one judge said of one statement in one page, stale ones too; the columns of ``judgements.csv``."""

    judgement_id: str
    judge_run_id: str
    judge: str
    kind: str
    model: str | None
    prompt_id: str | None
    prompt_sha256: str | None
    seed: int | None
    statement_id: str
    response_id: str
    snapshot_id: str
    source_id: str
    source_url: str
    raw_label: str | None
    verdict: str | None
    supported: bool | None
    confidence: float | None
    quote_status: str
    quote_doubt: str | None
    quote_start: int | None
    quote_end: int | None
    quote: str | None
    reason: str | None
    error: str | None
    vote: bool
    abstained: bool


class PairRow(NamedTuple):
    """A statement beside one of the sources that its response cites, judged or not; the columns of ``pairs.csv``.

    Its ``passage``, which no file holds, is the text from ``passage_start`` to ``passage_end`` of the page.
    """

    unit_id: str
    response_id: str
    record_id: str | None
    statement_ordinal: int
    statement_text: str
    source_id: str
    source_url: str
    source_number: int | None
    markers: str | None
    cited_by_statement: bool | None
    readable: bool
    shown_first: bool
    unsupported: float | None
    flagged: bool | None
    judge: str | None
    judge_raw_label: str | None
    judge_confidence: float | None
    judge_quote: str | None
    judge_quote_status: str | None
    judge_quote_doubt: str | None
    verdict: str | None
    supported: bool | None
    jury_for: int | None
    jury_against: int | None
    jury_abstained: int | None
    response_model: str | None
    origin: str | None
    source_place: int
    source_domain: str | None
    snapshot_id: str | None
    page_state: str | None
    passage_start: int | None
    passage_end: int | None
    pair_id: str
    page_of_other_work: bool | None
    ocr_confidence: float | None
    passage: str | None
