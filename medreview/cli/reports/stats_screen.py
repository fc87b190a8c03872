"""Four questions on one screen of 80 x 24: how good are the answers, how good the judges, how sure is that, what next.

``stats`` renders everything.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.layout import NextStep, Part
from medreview.cli.reports.part import part_line
from medreview.cli.reports.provenance import provenance_lines
from medreview.cli.reports.references import reference_lines
from medreview.cli.reports.screen_answers import answer_shares, answer_table
from medreview.cli.reports.screen_judges import Compared, compared, judge_table
from medreview.cli.reports.screen_words import next_parts, other_units, sure_lines
from medreview.cli.reports.terminal import height, printed
from medreview.next_step import command
from medreview.stats.study_figures import StudyFigures

_FEWEST: Final = 2
_MOST_REVIEWERS: Final = 2
_BRIEFEST: Final = 3


def render_screen(figures: StudyFigures, study: Path) -> str:
    """What fits one screen: as many judges as its height has room for. What is left out, and why, ``--full`` has."""
    lines = compared(figures)
    room = height() - 1  # a row for what is typed next
    fewest = min(_FEWEST, len(lines))
    # Judges count for more than empty lines, and than what is said of models.
    tries = [(len(lines), brief) for brief in range(-1, _BRIEFEST + 1)]
    tries += [(most, _BRIEFEST) for most in range(len(lines) - 1, fewest - 1, -1)]
    tries.append((fewest, _BRIEFEST + 1))
    text = ""
    for most, brief in tries:
        parts = _screen(figures, study, lines, most, max(0, brief))
        text = printed(part for part in parts if part != "" or brief < 0)
        if text.count("\n") <= room:
            break
    return text


def _screen(figures: StudyFigures, study: Path, lines: Sequence[Compared], most: int, brief: int) -> Iterator[Part]:
    yield from _progress(figures)
    shares = answer_shares(figures)
    answers = answer_table(shares)
    if answers.rows:
        yield from ("", answers)
    yield from reference_lines(figures.references, brief)
    first = set(sorted(range(len(lines)), key=lambda place: lines[place].rank)[:most])
    shown = [line for place, line in enumerate(lines) if place in first]
    if shown:
        yield from ("", judge_table(shown))
        if len(lines) > most:
            yield f"and {counted(len(lines) - most, 'more comparison')}"
    sure = list(sure_lines(figures, shares, [line.kappa for line in shown], brief))
    if sure:
        yield ""
        yield f"How sure? {sure[0]}"
        yield from sure[1:]
    yield ""
    yield from next_parts(figures, study)
    yield from provenance_lines(figures.provenance)
    yield NextStep(command("stats", study, "--full"))


def _progress(figures: StudyFigures) -> Iterator[str]:
    told = []
    for reviewer in figures.reviewers[:_MOST_REVIEWERS]:
        done = reviewer.progress
        name = one_line(reviewer.reviewer)
        others = other_units(done)
        parts = [others] if others else []
        if done.decided or done.deferred or not others:
            parts.insert(0, f"{done.decided:,} decided, {done.deferred:,} deferred, {done.open:,} open")
        told.append(f"{name}: {', '.join(parts)}")
    if len(figures.reviewers) > _MOST_REVIEWERS:
        told.append(f"and {counted(len(figures.reviewers) - _MOST_REVIEWERS, 'more reviewer')}")
    statements, responses = counted(figures.statements, "statement"), counted(figures.responses, "response")
    yield "; ".join((f"{statements} in {responses}", *(told or ["nobody has decided anything yet"])))
    if figures.part is not None:
        yield part_line(figures.part)
