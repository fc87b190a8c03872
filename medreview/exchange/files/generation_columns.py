"""The columns of the files that hold what models were asked to generate, each attempt, and what came of it."""

from typing import Final

from medreview.exchange.files.columns import Column

_RUN: Final = Column("generation_run_id", "text", "The run: one generator with one model, its prompts and options.")
_ITEM: Final = Column("item_id", "text", "The input that it was asked about.")

RUNS: Final = (
    _RUN,
    Column("ordinal", "integer", "Its number in the study, from 1."),
    Column("generator", "text", "What was generated: questions, answers, qa, ..."),
    Column("model_name", "text", "What the settings call the model."),
    Column("model", "text", "The model."),
    Column("host", "text", "Where it was asked."),
    Column("judge", "text", "The model that was asked to verify, as NAME: MODEL at HOST; empty when none was."),
    Column("prompts", "text", "Which values tell the prompts and their SHA-256: name:type, parted by blanks, as in the "
           "column payload of events.csv. The values stand in generation_values.csv."),
    Column("params", "text", "The same of the parameters that were sent."),
    Column("options", "text", "The same of the generator's own options."),
    Column("started_at", "time", "When it was first given.", unit="UTC"),
)  # fmt: skip

ITEMS: Final = (
    _RUN,
    _ITEM,
    Column("round", "integer", "How often it was done, from 1; that of the highest round counts."),
    Column("name", "text", "The input as people call it."),
    Column("code", "text", "Why nothing was made of it; empty when something was."),
    Column("attempts", "integer", "Answers of the model in all rounds."),
    Column("invalid", "integer", "Of these the ones that were not valid, whatever the reason."),
    Column("products", "integer", "What was made of it, in all rounds."),
    Column("dropped", "integer", "Parts of answers that a rule left out, in all rounds."),
    Column("report", "text", "Which values the generator keeps for its own report, as prompts of generation_runs.csv."),
    Column("finished_at", "time", "When it was done.", unit="UTC"),
)

VALUES: Final = (
    _RUN,
    Column("item_id", "text", "The input; empty for a value of the run."),
    Column("round", "integer", "Its round; empty for a value of the run."),
    Column("part", "text", "Of what it is a value.", levels=("prompts", "params", "options", "report")),
    Column("name", "text", "Name of the value, as written in that column."),
    Column("value", "text", "The value."),
)

ATTEMPTS: Final = (
    _RUN,
    _ITEM,
    Column("stage", "text", "Which of the generator's questions on the input."),
    Column("number", "integer", "Which attempt, from 1; the next one replaces one that was not valid."),
    Column("status", "text", "What the answer was.",
           levels=("ok", "invalid", "unparsable", "truncated", "refused")),
    Column("codes", "text", "Why it is not valid, one word after the other."),
    Column("prompt_tokens", "integer", "Tokens in, as the server counts them; empty when not told."),
    Column("completion_tokens", "integer", "Tokens out, likewise."),
    Column("latency_ms", "integer", "How long it took.", unit="ms"),
    Column("cost", "number", "What it cost by the configured prices; empty when not known."),
    Column("at_utc", "time", "When it came.", unit="UTC"),
    Column("cache_key", "text", "The request: SHA-256 of all that was sent."),
    Column("raw_output", "text", "What the model wrote."),
)  # fmt: skip

PRODUCTS: Final = (
    _RUN,
    _ITEM,
    Column("kind", "text", "What was made.", levels=("unit", "response", "passage", "case")),
    Column("made", "text", "Its id in units.csv, responses.csv, passages.csv, cases.csv."),
)

DROPPED: Final = (
    _RUN,
    _ITEM,
    Column("ordinal", "integer", "Its number among what was left out of this input's answers, from 1."),
    Column("code", "text", "The rule that left it out."),
    Column("what", "text", "What was left out."),
)
