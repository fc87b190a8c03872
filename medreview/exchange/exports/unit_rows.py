"""The files of an export on units other than statements, on what belongs to these, and on what models generated."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from medreview.exchange.files.columns import CODE_POINTS, Cell, Column, ExportFile
from medreview.exchange.files.csv_file import flat_rows, names_in
from medreview.review.batches import batches
from medreview.review.draws import draws
from medreview.text import sha256

_IMPORTED: Final = (
    Column("imported_at", "time", "When it was imported.", unit="UTC"),
    Column("imported_from", "text", "From which file."),
)
_QUESTION_SHA256: Final = Column("question_sha256", "text", "SHA-256 of the question's UTF-8 bytes.")
_TEXT_SHA256: Final = Column("text_sha256", "text", "SHA-256 of the text's UTF-8 bytes.")
UNIT: Final = Column("unit_id", "text", "The unit: KIND:ID, KIND:ID:ID; of a statement its id alone.", sql="unit")
_AXIS: Final = Column(
    "axis", "text", "The axis of the label; quality/1, hallucinated/1, quality/2, ... of a ranking's outputs."
)


def _value_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for unit, content, made_by in reader.execute("SELECT unit_id, content, made_by FROM unit ORDER BY kind, ordinal"):
        yield from flat_rows(((unit, "content", content), (unit, "made_by", made_by)))


def _gold_span_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    query = "SELECT unit, axis, spans FROM gold WHERE spans <> '[]' ORDER BY unit, axis"
    for unit, axis, spans in reader.execute(query):
        for number, span in enumerate(json.loads(spans), 1):
            yield unit, axis, number, span["target"], span["start"], span["end"], span.get("exact"), span["label"]


def _drawn_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    shared = batches(reader)
    for one in draws(reader).values():
        held: dict[str, list[tuple[str, int]]] = {}
        for who, units in sorted(shared[one.name].batches.items()) if one.name in shared else ():
            for turn, unit in enumerate(units, 1):
                held.setdefault(unit, []).append((who, turn))
        for place, unit in enumerate(one.units, 1):
            if unit not in held:
                yield one.name, one.kind, place, unit, None, None
            for who, turn in held.get(unit, ()):
                yield one.name, one.kind, place, unit, who, turn


FILES: Final = (
    ExportFile(
        "units.csv",
        (
            Column("unit_id", "text", "The unit: its kind, and a hash of its content."),
            Column("kind", "text", "Which kind of unit it is."),
            Column("ordinal", "integer", "Its number among those of its kind."),
            Column("record_id", "text", "Its id in the file it came from."),
            Column("origin", "text", "Where it came from: a stratum."),
            Column("model", "text", "The model that wrote it."),
            Column("belongs_to", "text", "The case, passage, snapshot or response that it belongs to: what to "
                   "resample; empty = itself."),
            *_IMPORTED,
            names_in("content", "Which values its content has: name:type, parted by blanks, as in the column payload "
                     "of events.csv. The values stand in unit_values.csv."),
            Column("content_sha256", "text", "SHA-256 of its content as the study stores it."),
            Column("withheld", "boolean", "1: in its content the names of what wrote it are empty, for who must not "
                   "know them yet.", made=lambda row: sha256(row["content"]) != row["content_sha256"]),
            names_in("made_by", "Which values there are on what generated it, likewise; empty when it was given."),
            Column("text", "text", "What lists show: the question, the key fact."),
        ),
        "FROM unit ORDER BY kind, ordinal",
        "Units that came as such: questions, rankings, suggested key facts, revisions.",
        key=("unit_id",), facets=("kind", "origin"), named_by="text",
    ),
    ExportFile(
        "unit_values.csv",
        (
            Column("unit_id", "text", "The unit."),
            Column("part", "text", "Whether the value is of its content, or of what generated it.",
                   levels=("content", "made_by")),
            Column("name", "text", "Name of the value, as written in that column of units.csv."),
            Column("value", "text", "The value."),
        ),
        _value_rows,
        "What the content of units is, value by value.",
        key=("unit_id", "part", "name"),
    ),
    ExportFile(
        "passages.csv",
        (
            Column("passage_id", "text", "A text that questions, items and revisions are about."),
            Column("title", "text", "Its title."),
            Column("url", "text", "Where it came from."),
            *_IMPORTED,
            _TEXT_SHA256,
            Column("text", "text", "The text."),
        ),
        "FROM passage ORDER BY passage_id",
        "Texts that questions, items and revisions are about.",
        key=("passage_id",), named_by="title",
    ),
    ExportFile(
        "passage_runs.csv",
        (
            Column("passage_run_id", "text", "One choice of passages from texts; of several the newest one holds."),
            Column("at_utc", "time", "When it was made first.", unit="UTC"),
            Column("entities", "text", "What found the entities: the program's term lists, or a tagger by its "
                   "command."),
            Column("vectors", "text", "What compared the sentences: TF-IDF, or a model at a host."),
            Column("alike", "number", "The cosine above which two sentences are of one cluster."),
            Column("keep", "number", "The share that was to be kept; empty where the thresholds were given."),
            Column("density", "number", "The thresholds: this density at least,"),
            Column("variance", "number", "this variance at most,"),
            Column("entropy", "number", "this entropy at most.", unit="nat"),
        ),
        "FROM passage_run ORDER BY at_utc, passage_run_id",
        "How passages were chosen from texts: by which measures and thresholds.",
        key=("passage_run_id",),
    ),
    ExportFile(
        "passage_features.csv",
        (
            Column("passage_run_id", "text", "The choice."),
            Column("source", "text", "The text: a file's name, a snapshot_id, a passage_id."),
            Column("text_sha256", "text", "The hash of the text."),
            Column("start_cp", "integer", "Where in it the paragraph stands: first code point."),
            Column("end_cp", "integer", "The end of that, half-open."),
            Column("paragraph_id", "text", "The paragraph: its passage_id in passages.csv where it was kept.",
                   sql="passage_id"),
            Column("beginning", "text", "Its first words."),
            Column("tokens", "integer", "Its tokens."),
            Column("sentences", "integer", "Its sentences."),
            Column("density", "number", "Tokens of entities among all; this and the next two are empty where not "
                   "measured."),
            Column("variance", "number", "Variance of the cosines of consecutive sentences."),
            Column("entropy", "number", "Entropy of the clusters of its sentences.", unit="nat"),
            Column("codes", "text", "The rules that left it out, one word after the other; empty where it was kept."),
        ),
        "FROM passage_feature ORDER BY rowid",
        "What each paragraph of these texts was measured by, and which rules left it out.",
        key=("passage_run_id", "text_sha256", "start_cp"),
    ),
    ExportFile(
        "cases.csv",
        (
            Column("case_id", "text", "A patient's story as written for a study."),
            Column("ordinal", "integer", "Its number in the study."),
            Column("record_id", "text", "Its id in the file it came from."),
            Column("title", "text", "Its title."),
            Column("question", "text", "What models were asked to write about it."),
            _QUESTION_SHA256,
            *_IMPORTED,
            Column("reference", "text", "The text that a human wrote."),
        ),
        "FROM clinical_case ORDER BY ordinal",
        "Patients' stories as written for a study, with what models were asked to write about them.",
        key=("case_id",), leads={"question_sha256": ""}, named_by="title",
    ),
    ExportFile(
        "case_notes.csv",
        (
            Column("note_id", "text", "One note of a case."),
            Column("case_id", "text", "The case."),
            Column("ordinal", "integer", "Its place among the notes of the case, by their dates, from 1."),
            Column("kind", "text", "History and physical, progress note, note of another profession, or another.",
                   levels=("hp", "progress", "allied", "other")),
            Column("at", "text", "Its date."),
            Column("author", "text", "Who is said to have written it."),
            _TEXT_SHA256,
            Column("text", "text", "The note."),
        ),
        "FROM case_note ORDER BY case_id, ordinal",
        "The notes of the cases.",
        key=("note_id",),
    ),
    ExportFile(
        "reference_answers.csv",
        (
            _QUESTION_SHA256,
            Column("question", "text", "A question."),
            *_IMPORTED,
            Column("text", "text", "What a correct answer to it is."),
        ),
        "FROM reference_answer ORDER BY question_sha256",
        "What a correct answer to a question is.",
        key=("question_sha256",),
    ),
    ExportFile(
        "gold.csv",
        (
            UNIT,
            _AXIS,
            Column("label", "text", "The right label, known beforehand."),
            Column("why", "text", "Why it is right."),
            Column("attention", "boolean", "1: no judgement is needed to get it right, only attention."),
            Column("added_by", "text", "Who added it, or the file it came from."),
            Column("added_at", "time", "When it was added.", unit="UTC"),
        ),
        "FROM gold ORDER BY unit, axis",
        "Right labels that were known beforehand.",
        key=("unit_id", "axis"), leads={"unit_id": ""},
    ),
    ExportFile(
        "gold_spans.csv",
        (
            UNIT,
            _AXIS,
            Column("ordinal", "integer", "Its number among the spans that belong to the right label, from 1."),
            Column("target", "text", "Which text of the unit it lies in: response, source:ID, passage, note:ID, "
                   "output:N."),
            Column("start_cp", "integer", "Start of the half-open range.", unit=CODE_POINTS),
            Column("end_cp", "integer", "End of the half-open range.", unit=CODE_POINTS),
            Column("exact", "text", "Its words, where they were given."),
            Column("label", "text", "The level that it is marked with."),
        ),
        _gold_span_rows,
        "Words that belong to them.",
        key=("unit_id", "axis", "ordinal"), leads={"unit_id": ""},
    ),
    ExportFile(
        "opinions.csv",
        (
            Column("opinion_id", "text", "What a machine says of a unit."),
            UNIT,
            Column("judge", "text", "Who says it."),
            Column("model", "text", "Its model."),
            Column("prompt_id", "text", "Its prompt."),
            _AXIS,
            Column("raw_label", "text", "The judge's own word, as given."),
            Column("label", "text", "The level of the axis that it is; empty when it maps to none."),
            Column("confidence", "number", "As given; empty when none.", unit="0 to 1"),
            Column("reason", "text", "The reason as given."),
            Column("quote", "text", "The quote as given."),
            Column("given_at", "time", "When it came into the study.", unit="UTC"),
            Column("imported_from", "text", "From which file."),
        ),
        "FROM opinion ORDER BY unit, axis, opinion_id",
        "What machines say of units that are not statements.",
        key=("opinion_id",), leads={"unit_id": ""}, facets=("judge", "axis", "label"),
    ),
    ExportFile(
        "drawn_units.csv",
        (
            Column("draw", "text", "The name of a random draw; its seed and strata are in events.csv."),
            Column("unit_kind", "text", "The kind of unit that was drawn; asked: questions, address: cited addresses."),
            Column("place", "integer", "Its place in the order of the draw, from 1."),
            Column("unit_id", "text", "What was drawn: a unit, the text of a question, the key of an address."),
            Column("reviewer_id", "text", "Who is to review it; a row for each, empty where nobody is."),
            Column("batch_place", "integer", "Its place in that reviewer's batch, from 1."),
        ),
        _drawn_rows,
        "Units that were drawn at random, and whose batches they are in.",
        leads={"unit_id": "", "reviewer_id": ""}, facets=("draw", "reviewer_id"),
    ),
)  # fmt: skip
"""Every file of units but unit_labels.csv and the tables that the kinds have for themselves."""


_ORDER: Final = "JOIN generation_run AS run USING (run_id) ORDER BY run.ordinal"
_RUN: Final = Column("generation_run_id", "text", "The run: one generator with one model, its prompts and options.",
                     sql="run_id")  # fmt: skip
_ITEM: Final = Column("item_id", "text", "The input that it was asked about.")


def _number(name: str, meaning: str, table: str, also: str = "") -> Column:
    """How many rows a table has of the input."""
    of_item = "(o.run_id, o.item_id) = (g.run_id, g.item_id)"
    return Column(name, "integer", meaning, sql=f"(SELECT count(*) FROM {table} AS o WHERE {of_item}{also})")


RUNS: Final = ExportFile(
    "generation_runs.csv",
    (
        _RUN,
        Column("ordinal", "integer", "Its number in the study, from 1."),
        Column("generator", "text", "What was generated: questions, answers, qa, ..."),
        Column("model_name", "text", "What the settings call the model."),
        Column("model", "text", "The model."),
        Column("host", "text", "Where it was asked."),
        Column("judge", "text", "The model that was asked to verify, as NAME: MODEL at HOST; empty when none was."),
        names_in("prompts", "Which values tell the prompts and their SHA-256: name:type, parted by blanks, as in the "
               "column payload of events.csv. The values stand in generation_values.csv."),
        names_in("params", "The same of the parameters that were sent."),
        names_in("options", "The same of the generator's own options."),
        Column("started_at", "time", "When it was first given.", unit="UTC"),
    ),
    "FROM generation_run ORDER BY ordinal",
    "What models were asked to write: a row for each model, with its prompts and options.",
    key=("generation_run_id",),
)  # fmt: skip

ITEMS: Final = ExportFile(
    "generation.csv",
    (
        _RUN,
        _ITEM,
        Column("round", "integer", "How often it was done, from 1; that of the highest round counts."),
        Column("name", "text", "The input as people call it."),
        Column("code", "text", "Why nothing was made of it; empty when something was."),
        _number("attempts", "Answers of the model in all rounds.", "generation_attempt"),
        _number("invalid", "Of these the ones that were not valid, whatever the reason.",
                "generation_attempt", " AND o.status <> 'ok'"),
        _number("products", "What was made of it, in all rounds.", "generation_product"),
        _number("dropped", "Parts of answers that a rule left out, in all rounds.", "generation_dropped"),
        names_in("report", "Which values the generator keeps for its own report, as prompts of generation_runs.csv."),
        Column("finished_at", "time", "When it was done.", unit="UTC"),
    ),
    f"FROM generation AS g {_ORDER}, g.item_id, g.round",
    "The outcome of each input that a model was given to write from.",
    key=("generation_run_id", "item_id", "round"),
    facets=("code",),
)  # fmt: skip


def _run_value_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for run in reader.execute("SELECT * FROM generation_run ORDER BY ordinal"):
        parts = ((run["run_id"], None, None, part, run[part]) for part in ("prompts", "params", "options"))
        yield from flat_rows(parts)
    items = f"SELECT g.run_id, g.item_id, g.round, 'report', g.report FROM generation AS g {_ORDER}, g.item_id, g.round"
    yield from flat_rows(reader.execute(items))


VALUES: Final = ExportFile(
    "generation_values.csv",
    (
        _RUN,
        Column("item_id", "text", "The input; empty for a value of the run."),
        Column("round", "integer", "Its round; empty for a value of the run."),
        Column("part", "text", "Of what it is a value.", levels=("prompts", "params", "options", "report")),
        Column("name", "text", "Name of the value, as written in that column."),
        Column("value", "text", "The value."),
    ),
    _run_value_rows,
    "Prompts, parameters and options of these runs, and what they keep for their reports.",
)

ATTEMPTS: Final = ExportFile(
    "generation_attempts.csv",
    (
        _RUN,
        _ITEM,
        Column("stage", "text", "Which of the generator's questions on the input."),
        Column("number", "integer", "Which attempt, from 1; the next one replaces one that was not valid."),
        Column("status", "text", "What the answer was.",
               levels=("ok", "invalid", "unparsable", "truncated", "refused"), sql="a.status"),
        Column("codes", "text", "Why it is not valid, one word after the other.", sql="codes",
               made=lambda row: " ".join(json.loads(row["codes"]))),
        Column("prompt_tokens", "integer", "Tokens in, as the server counts them; empty when the server does not say."),
        Column("completion_tokens", "integer", "Tokens out, likewise."),
        Column("latency_ms", "integer", "How long it took.", unit="ms"),
        Column("cost", "number", "What it cost by the configured prices; empty when not known."),
        Column("at_utc", "time", "When it came.", unit="UTC", sql="a.at_utc"),
        Column("cache_key", "text", "The request: SHA-256 of all that was sent.", sql="a.cache_key"),
        Column("raw_output", "text", "What the model wrote."),
    ),
    f"""FROM generation_attempt AS a LEFT JOIN llm_call AS c USING (cache_key)
        {_ORDER}, a.item_id, a.stage, a.number, a.cache_key""",
    "Every answer of a model that was asked to write, the invalid ones too.",
    key=("generation_run_id", "item_id", "stage", "number", "cache_key"),
    facets=("status", "stage"),
)  # fmt: skip

PRODUCTS: Final = ExportFile(
    "generation_products.csv",
    (
        _RUN,
        _ITEM,
        Column("kind", "text", "What was made.", levels=("unit", "response", "passage", "case")),
        Column("made", "text", "Its id in units.csv, responses.csv, passages.csv, cases.csv."),
    ),
    f"FROM generation_product AS p {_ORDER}, p.item_id, p.kind, p.made",
    "Which unit, response, passage or case was made of which input.",
    key=("generation_run_id", "item_id", "kind", "made"),
    facets=("kind",),
)

DROPPED: Final = ExportFile(
    "generation_dropped.csv",
    (
        _RUN,
        _ITEM,
        Column("ordinal", "integer", "Its number among what was left out of this input's answers, from 1.",
               sql="d.ordinal"),
        Column("code", "text", "The rule that left it out."),
        Column("what", "text", "What was left out."),
    ),
    f"FROM generation_dropped AS d {_ORDER}, d.item_id, d.ordinal",
    "What rules left out of what models wrote.",
    key=("generation_run_id", "item_id", "ordinal"),
    facets=("code",),
)  # fmt: skip

GENERATION_FILES: Final = (RUNS, ITEMS, VALUES, ATTEMPTS, PRODUCTS, DROPPED)
"""Every file of generated material."""
