"""The commands that open a study for review, ``demo`` and ``review``; and ``team conflicts`` between reviewers."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from medreview.cli.completion import queues, studies
from medreview.cli.network import PagesFrom
from medreview.cli.opening import open_review, review_paths
from medreview.cli.options import (
    AnswerOptions,
    Json,
    LeaveOut,
    Map,
    Passed,
    Reviewer,
    StudyFile,
    only_one,
    open_study,
    study_path,
    takes,
)
from medreview.cli.output import counted, one_line, progress, result, say
from medreview.cli.review_words import STDIN, ReviewOptions
from medreview.cli.verdict_access import current_verdicts, looked, without_reviewers
from medreview.errors import UserError
from medreview.next_step import command
from medreview.review.queue_kinds import KINDS
from medreview.study.counts import count_statements
from medreview.study.ids import STATEMENT


def demo(
    study: Annotated[Path, Option(help="Where the sample study is made or found.")] = Path("demo.medreview"),
    no_open: Annotated[bool, Option("--no-open", help="Make the study, do not open the workbench.")] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Make the sample study and review it; nothing to set up.

    It has sixteen answers and the saved pages that they cite. It needs no network.

    Example: medreview demo
    """
    from medreview.demo import make_demo
    from medreview.judges import verdicts

    if study.exists():
        opened = open_study(study)
        say(f"The sample study is at {study} already; your decisions in it are kept.")
    else:
        with progress() as bar:
            opened = make_demo(study, bar)
    with opened:
        statements, flagged = count_statements(opened.reader), verdicts.flagged(opened.reader)
        if no_open:
            sentence = f"{study}: {counted(statements, 'statement')}, {flagged} flagged."
            told = {"study": str(study), "statements": statements, "flagged": flagged}
            result(told, sentence, f"Review them: {command('review', study)}", as_json=as_json)
        else:
            open_review(opened, ReviewOptions(reviewer=reviewer, tour=True), first="flagged")


@takes(AnswerOptions)
def review(
    paths: Annotated[
        list[Path] | None,
        Argument(
            metavar="STUDY|FILE...",
            autocompletion=studies,
            help="The study; or answers, which become one; - is standard input.",
        ),
    ] = None,
    queue: Annotated[
        str | None,
        Option(
            autocompletion=queues,
            help=f"One of {', '.join(kind.name for kind in KINDS)}; of other units, as "
            "docs/reference/keys-and-labels.md names them; default: the first screen.",
        ),
    ] = None,
    filter: Annotated[str, Option(help="Only some of the queue, e.g. 'model=atlas-2 badge=quote'.")] = "",
    audit: Annotated[
        int | None, Option(min=1, metavar="N", help="Draw an audit of N statements or more, and open it.")
    ] = None,
    blind: Annotated[
        bool,
        Option("--blind", help="Every statement, in an order of your own; the judges hidden until the block is done."),
    ] = False,
    read_only: Annotated[bool, Option("--read-only", help="Look, decide nothing.")] = False,
    plain: Annotated[bool, Option("--plain", help="Line prompts, for screen readers and scripts.")] = False,
    goal: Annotated[
        str | None, Option(metavar="N|TIME", help="What the sitting is to come to: 60 decisions, 45min, 1h30.")
    ] = None,
    reviewer: Reviewer = None,
    paste: Annotated[
        bool,
        Option("--paste", help="Ask for a question and an answer first; without STUDY in pasted.medreview."),
    ] = False,
    recent: Annotated[
        bool, Option("--recent", help="List the studies that you opened last, and what is open in each.")
    ] = False,
    forget: Annotated[
        Path | None,
        Option(
            "--forget", metavar="STUDY", autocompletion=studies, help="Take this study off that list; its file stays."
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        Option(
            metavar="FILE.svg",
            help="Draw the screen into FILE.svg, without a terminal: --queue flagged, or first for the first screen.",
        ),
    ] = None,
    size: Annotated[str, Option(metavar="COLUMNSxROWS", help="With --picture: of the terminal drawn.")] = "160x50",
    theme: Annotated[str, Option(metavar="THEME", help="With --picture: dark, light, or mono (no colours).")] = "dark",
    keys: Annotated[str, Option(metavar="KEYS", help="With --picture: keys pressed first, as 'j j w Enter'.")] = "",
    pages: PagesFrom = None,
    mapping: Map = None,
    as_json: Annotated[bool, Option("--json", help="With --recent, --forget, --picture: the result as JSON.")] = False,
    *,
    wanted: AnswerOptions,
) -> None:
    """Review statements beside their sources.

    Everything is saved as you decide. Without --queue, the first screen opens at where you left off: Enter goes on
    there. `medreview STUDY` and `medreview FILE` are short for it.

    Of a file of answers it makes a study first, as `run` does: answers.docx becomes answers.medreview beside it. Given
    again, it opens that one and takes in what is new in the file. What comes on standard input (-) goes into
    answers.medreview, unless a study is named.

    --paste asks for a question and an answer, fetches the cited pages as `run` does, and opens the answer. In place of
    the answer the path of a file can stand. --picture draws what the reviewer would see after some keys, on a copy:
    nothing is decided. Where the judges are shown, the study notes that the reviewer has seen the statement.

    Exit code 70 after an error of the workbench's own, 129 when the terminal was lost, 143 after SIGTERM.

    Example: medreview review answers.jsonl
    """
    only_one({"--paste": paste, "--recent": recent or forget, "--picture": picture})
    if as_json and not (recent or forget or picture):
        raise UserError("--json goes with --recent, --forget or --picture: the workbench prints no result.")
    if (size, theme, keys) != ("160x50", "dark", "") and picture is None:
        raise UserError("--size, --theme and --keys go with --picture FILE.svg.")
    if recent or forget:
        if paths:
            raise UserError("--recent and --forget take no other study: leave it out.")
        _recent(forget, as_json=as_json)
        return
    opening = ReviewOptions(queue, filter, audit, blind, read_only, plain, goal, reviewer, paste=paste)
    if paste:
        _paste(_only(paths or [Path("pasted.medreview")], "--paste"), opening)
    elif picture:
        _picture(_only(paths or [], "--picture"), picture, opening, size, theme, keys, as_json=as_json)
    elif paths:
        review_paths(paths, opening, pages=pages, mapping=mapping, answers=wanted)
    else:
        raise UserError(
            f"Name a study, or a file of answers: `{command('review', 'FILE')}`. --recent lists the studies that you "
            "opened last, --paste asks for an answer."
        )


def _only(paths: list[Path], option: str) -> Path:
    if len(paths) != 1:
        raise UserError(f"Name one study with {option}.")
    if paths[0] != STDIN:
        study_path(paths[0])
    return paths[0]


def _paste(study: Path, opening: ReviewOptions) -> None:
    from medreview.cli.importing import opened_or_made

    with opened_or_made(study) as opened:
        open_review(opened, opening)
        if not opened.reader.execute("SELECT 1 FROM response UNION ALL SELECT 1 FROM unit LIMIT 1").fetchone():
            opened.discard()
            say("Nothing was pasted, so no study was made.")


def _picture(
    study: Path, out: Path, opening: ReviewOptions, size: str, theme: str, keys: str, *, as_json: bool
) -> None:
    from dataclasses import replace

    from medreview.atomic_output import atomic_output, write_new
    from medreview.config import load_config
    from medreview.review.audit import begin
    from medreview.review.looks import note_shown_in_copy
    from medreview.review.queue import open_queue
    from medreview.screens.picture import as_theme, copied, keys_of, size_of
    from medreview.screens.picture import picture as drawn
    from medreview.study import Study

    columns_rows, pressed, shown = size_of(size), keys_of(keys), as_theme(theme)
    if out.suffix.lower() != ".svg":
        raise UserError(f"A picture is an SVG file; name one that ends in .svg, not {out.name}.")
    out, study, queue = out.absolute(), study.absolute(), opening.queue or "flagged"
    config = load_config()
    if opening.reviewer:
        config = replace(config, reviewer=opening.reviewer)
    with atomic_output(out, b"<svg ") as made, copied(study, made.parent) as opened:
        current_verdicts(opened)
        begin(opened, config.reviewer)
        chosen = None if queue == "first" else open_queue(opened, queue, config.reviewer, filter=opening.filter)
        if chosen is not None and not chosen.units:
            raise UserError(chosen.nothing)
        write_new(made, drawn(opened, config, chosen, size=columns_rows, theme=shown, keys=pressed))
        with Study.open(study, read_only=True) as seen:
            if sentence := note_shown_in_copy(seen, opened, config.reviewer):
                say(sentence)
    said = f"{out}: {size}, {chosen.kind.title if chosen else 'the first screen'}"
    result({"picture": str(out), "bytes": out.stat().st_size}, said, as_json=as_json)


def _recent(forget: Path | None, *, as_json: bool) -> None:
    from medreview.cli.study_picker import as_told, study_lines
    from medreview.config import load_config
    from medreview.recent_studies import look_at
    from medreview.study import recent_list

    if forget is not None:
        was_there = recent_list.forget(forget)
        said = "is off the list; its file stays as it is" if was_there else "was not on the list"
        result({"study": str(forget), "forgotten": was_there}, f"{forget} {said}.", as_json=as_json)
        return
    reviewer = load_config().reviewer
    found = [look_at(one, reviewer) for one in recent_list.recent_list()]
    lines = [line for number, study in enumerate(found, 1) for line in study_lines(number, study)]
    result(
        {"studies": [as_told(study) for study in found]},
        *(lines or ["No study was opened for review yet."]),
        as_json=as_json,
    )


def conflicts(
    study: StudyFile,
    kind: Annotated[str, Option(metavar="KIND", help="Only of this kind of unit: statement, pair, qa, ...")] = "",
    waiting: Annotated[bool, Option("--open", help="Only those that nothing settles yet.")] = False,
    csv: Annotated[
        Path | None, Option(metavar="FILE", help="Also write FILE: one row for each label of each conflict.")
    ] = None,
    leave_out: LeaveOut = None,
    passed: Passed = "",
    as_json: Json = False,
) -> None:
    """List the units on which reviewers' labels differ.

    It counts them by kind, axis and reviewers, after `team merge`. You settle them in the queue "conflicts" of the
    workbench. The list shows you the others' labels: labels that you give afterwards are stored as not independent.

    Example: medreview team conflicts sepsis.medreview --open --csv conflicts.csv
    """
    from medreview.labels import axis_words, label_words
    from medreview.review import conflicts as found_in
    from medreview.units.left_out_reviewers import reviewers_left_out
    from medreview.units.registry import KINDS, unit_name

    if kind not in ("", STATEMENT, *KINDS):
        raise UserError(f"There is no kind of unit {kind!r}; there are {', '.join((STATEMENT, *KINDS))}.")
    with open_study(study, read_only=True) as opened:
        looked(opened, "conflicts", "labels")
        reader = opened.reader
        with without_reviewers(opened, leave_out, passed):
            found = list(found_in.conflicts(reader, kind, settled=not waiting))
            names = {one.unit: unit_name(reader, one.unit) or one.unit for one in found}
            left = reviewers_left_out(reader)
            if csv is not None:
                from medreview.exchange.exports.figure_csv import CONFLICTS, conflict_rows
                from medreview.exchange.files.csv_file import write_report

                write_report(csv, CONFLICTS, conflict_rows(reader, found))
    counts = found_in.count_conflicts(found)
    lines = [
        f"{counted(one.conflicts, 'conflict')}, {one.open} open: {one.kind}, {axis_words(one.axis)}, "
        + " and ".join(one.reviewers)
        for one in counts
    ]
    for one in found:
        said = ", ".join(f"{given.reviewer} {label_words(one.axis, given.label)}" for given in one.labels)
        word = f" -> {label_words(one.axis, one.settled.label)} by {one.settled.reviewer}" if one.settled else ""
        again = ", open again" if one.settled and one.open else ""
        lines.append(f"  {names[one.unit]} {axis_words(one.axis)}: {said}{word}{again}")
    told = {
        "counts": [asdict(one) for one in counts],
        "conflicts": [{**asdict(one), "name": names[one.unit], "open": one.open} for one in found],
        "left_out": [asdict(one) for one in left],
    }
    lines = [*(lines or ["No two reviewers differ."]), *(one_line(one.sentence) for one in left)]
    result(told, *lines, as_json=as_json)
