"""What systems cost, how long they take, and what they say of key facts, as one CSV file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from medreview.exchange.files.columns import Column
from medreview.exchange.files.csv_file import CsvFile, sign_of
from medreview.stats.facts.tradeoff import TradeOff

TRADE_OFF: Final = (
    Column("system", "text", "The model of the responses."),
    Column("model", "text", "The model that wrote them here; empty where they came in a file."),
    Column("strategy", "text", "How it wrote them."),
    Column("texts", "integer", "Responses that key facts are held against; one for each case."),
    Column("cost_per_case", "number", "All calls for a text, mean over texts; empty when not known of all of them."),
    Column("seconds_per_case", "number", "The time of these calls, one after the other, mean.", unit="s"),
    Column("presence", "number", "The share of key facts that the texts say.", unit="0 to 1"),
    Column("presence_low", "number", "The lower end of its interval over cases.", unit="0 to 1"),
    Column("presence_high", "number", "The upper end.", unit="0 to 1"),
    Column("facts", "integer", "Facts that the share is of."),
    Column("no_cost", "text", "Why the cost is not known."),
    Column("no_time", "text", "Why the time is not known."),
)

SIGN: Final = sign_of(TRADE_OFF)
"""How the file begins."""


def write_csv(found: Sequence[TradeOff], path: Path) -> None:
    """Write a row for each system to a new file in a workplace, in the dialect for Excel, since names of models come
    from outside. Raises ``OSError``."""
    rows = (
        (
            one.system, one.model, one.strategy, one.texts, one.cost, one.seconds, one.presence.value,
            one.presence.low, one.presence.high, one.presence.n, one.no_cost or None, one.no_time or None,
        )
        for one in found
    )  # fmt: skip
    with CsvFile(path, TRADE_OFF, "excel") as file:
        file.add_all(rows)
