"""The commands that open a study for review: ``demo``, ``review``, ``recent``, and ``conflicts`` between reviewers."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from medreview.cli.network import PagesFrom
from medreview.cli.opening import open_review, review_paths
from medreview.cli.options import AnswerOptions, Json, LeaveOut, Map, Passed, Reviewer, StudyFile, open_study, takes
from medreview.cli.output import counted, one_line, progress, result, say
from medreview.cli.review_words import ReviewOptions
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
    """Make the sample study and review it: sixteen answers, saved pages, no network, nothing to set up.

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
        list[Path],
        Argument(metavar="STUDY|FILE...", help="The study; or answers, which become one; - is standard input."),
    ],
    queue: Annotated[
        str | None,
        Option(
            help=f"One of {', '.join(kind.name for kind in KINDS)}; of other units, as docs/how-to/units.md "
            "names them; default: the first screen."
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
    pages: PagesFrom = None,
    mapping: Map = None,
    *,
    wanted: AnswerOptions,
) -> None:
    """Review statements beside their sources; everything is saved as you decide.

    Without --queue, the first screen opens at where you left off: Enter goes on there.

    Of a file of answers it makes a study first, as `run` does: answers.docx becomes answers.medreview beside it. Given
    again, it opens that one and takes in what is new in the file. What comes on standard input (-) goes into
    answers.medreview, unless a study is named.

    Exit code 70 after an error of the workbench's own, 129 when the terminal was lost, 143 after SIGTERM.

    Example: medreview review answers.jsonl
    """
    opening = ReviewOptions(queue, filter, audit, blind, read_only, plain, goal, reviewer)
    review_paths(paths, opening, pages=pages, mapping=mapping, answers=wanted)


def paste(
    study: Annotated[Path, Argument(metavar="[STUDY]", help="The study to put it in; made if there is none.")] = Path(
        "pasted.medreview"
    ),
    reviewer: Reviewer = None,
) -> None:
    """Paste a question and an answer, and review the answer beside what it cites.

    The cited pages are fetched, as `run` does. In place of the answer the path of a file can stand. The first screen of
    every study takes more of them with the key I.

    Example: medreview paste clinic.medreview
    """
    from medreview.cli.importing import opened_or_made

    with opened_or_made(study) as opened:
        open_review(opened, ReviewOptions(reviewer=reviewer, paste=True))
        if not opened.reader.execute("SELECT 1 FROM response UNION ALL SELECT 1 FROM unit LIMIT 1").fetchone():
            opened.discard()
            say("Nothing was pasted, so no study was made.")


def picture(
    study: StudyFile,
    out: Annotated[Path, Argument(metavar="FILE.svg", help="The picture; an earlier one is replaced.")],
    size: Annotated[str, Option(metavar="COLUMNSxROWS", help="Size of the terminal that is drawn.")] = "160x50",
    queue: Annotated[str, Option(help="The queue to show, as `review` takes it; first: the first screen.")] = "flagged",
    filter: Annotated[str, Option(help="Only some of the queue, as `review` takes it.")] = "",
    theme: Annotated[str, Option(metavar="THEME", help="dark, light, or mono (without colours).")] = "dark",
    keys: Annotated[str, Option(metavar="KEYS", help="Keys that are pressed first, such as 'j j w Enter'.")] = "",
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Draw the workbench as an SVG picture, without a terminal. `medreview --picture` is short for it.

    It draws what a reviewer would see after these keys, on a copy: nothing is decided. Where the judges are shown, the
    study notes that the reviewer has seen the statement.

    Example: medreview picture sepsis.medreview flagged.svg --size 100x30 --keys 'j j w'
    """
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
    out, study = out.absolute(), study.absolute()
    config = load_config()
    if reviewer:
        config = replace(config, reviewer=reviewer)
    with atomic_output(out, b"<svg ") as made, copied(study, made.parent) as opened:
        current_verdicts(opened)
        begin(opened, config.reviewer)
        chosen = None if queue == "first" else open_queue(opened, queue, config.reviewer, filter=filter)
        if chosen is not None and not chosen.units:
            raise UserError(chosen.nothing)
        write_new(made, drawn(opened, config, chosen, size=columns_rows, theme=shown, keys=pressed))
        with Study.open(study, read_only=True) as seen:
            if sentence := note_shown_in_copy(seen, opened, config.reviewer):
                say(sentence)
    said = f"{out}: {size}, {chosen.kind.title if chosen else 'the first screen'}"
    result({"picture": str(out), "bytes": out.stat().st_size}, said, as_json=as_json)


def recent(
    forget: Annotated[
        Path | None, Option("--forget", metavar="STUDY", help="Take this study off the list; its file stays.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the studies that were opened for review last, newest first, and what is open in each.

    On a terminal `medreview` alone lists them too, and opens the one you choose. The studies are only read.

    Example: medreview recent
    """
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
    """List the units on which reviewers' labels differ, after `merge`, and count them by kind, axis and reviewers.

    They are settled in the queue "conflicts" of the workbench. Who reads the list has seen the others' labels: own
    labels given afterwards are stored as not independent of them.

    Example: medreview conflicts sepsis.medreview --open --csv conflicts.csv
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
