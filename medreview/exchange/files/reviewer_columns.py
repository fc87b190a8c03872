"""The columns of reviewers.csv: who gave the labels."""

from typing import Final

from medreview.exchange.files.columns import Column

REVIEWERS: Final = (
    Column("reviewer_id", "text", "The reviewer."),
    Column("role", "text", "Physician, nurse, student, ..., as the reviewer says; empty, as the next three: nothing "
           "was said."),
    Column("years_of_practice", "integer", "Years of practice.", unit="years"),
    Column("specialty", "text", "Specialty."),
    Column("words", "text", "Anything else that bears on the labels."),
    Column("said_utc", "text", "When that was said."),
    Column("decided", "integer", "Units that the reviewer decided, in any pass."),
    Column("gold_right", "integer", "Gold items that the reviewer gave the right label, of the blocks that are done."),
    Column("gold_wrong", "integer", "Gold items that got another label."),
    Column("attention_failed", "integer", "Of these the checks of attention."),
)  # fmt: skip
