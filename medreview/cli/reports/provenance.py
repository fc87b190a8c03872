"""Where the figures of a report come from, in two sentences at its end."""

from datetime import datetime

from medreview.cli.output import counted, one_line
from medreview.stats.reports.provenance import Provenance
from medreview.words import in_words

_HASH = 10
"""Digits of the newest event's hash that are shown; the JSON has all."""


def provenance_lines(origin: Provenance) -> tuple[str, str]:
    """The state that the figures are of, and how they were made."""
    head = f" to {origin.event_head[:_HASH]}" if origin.event_head else ""
    at = datetime.fromisoformat(origin.made_at).strftime("%Y-%m-%d %H:%M UTC")
    beside = f", {counted(origin.comparisons, 'comparison')}" if origin.comparisons else ""
    of_part = f", only {one_line(origin.where)}" if origin.where else ""
    lost = f", {origin.requests_lost:,} of {counted(origin.requests, 'request')} to models lost"
    return (
        f"{origin.study_id}, {counted(origin.events, 'event')}{head}, {at}{of_part}",
        f"version {origin.version}, labels {origin.label_set_version}, seed {origin.seed}, {origin.replicates:,} "
        f"resamples, ties {in_words(origin.tie_rule)}{beside}{lost if origin.requests_lost else ''}",
    )
