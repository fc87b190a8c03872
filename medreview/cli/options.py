"""Arguments and options that several commands share, and what ``--map``, ``--ties`` and ``--remarks-of`` stand for.

Options that a command hands on together are the fields of a record: :func:`takes`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, get_origin

from typer import Argument, Option

from medreview.cli.completion import producers, reviewers, studies
from medreview.cli.output import progress, say, say_if_older
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.import_files import Chosen
    from medreview.labels import TieRule
    from medreview.study import Study


LeaveOut = Annotated[
    list[str] | None,
    Option(
        "--leave-out",
        metavar="NAME",
        autocompletion=reviewers,
        help="Leave out the labels of this reviewer; may be repeated.",
    ),
]
Passed = Annotated[
    str,
    Option(
        "--passed",
        metavar="RULE",
        help="Leave out reviewers who failed hidden checks. RULE is `attention` (every attention check right) or the "
        "share of all gold items that must be right, as `80%`.",
    ),
]


def study_path(path: Path | None) -> Path | None:
    """The path as it is; refuses what can be no study (a pipe would be waited for), before a command does anything."""
    if path is not None:
        from medreview.study.file_kind import refuse_no_file

        refuse_no_file(path)
    return path


Command = Callable[..., None]


def takes(record: type, *, without: str = "") -> Callable[[Command], Command]:
    """Gives a command the options that the fields of a dataclass are, in place of its parameter ``wanted``.

    Options are the fields whose type is ``Annotated``, but for the one ``without`` which the command is.
    """
    shared = [
        one
        for one in signature(record).parameters.values()
        if get_origin(one.annotation) is Annotated and one.name != without
    ]

    def of(command: Command) -> Command:
        own = [one for one in signature(command).parameters.values() if one.name != "wanted"]

        @wraps(command)
        def called(**given: Any) -> None:
            command(wanted=record(**{one.name: given.pop(one.name) for one in shared}), **given)

        called.__signature__ = Signature([*own, *shared])  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in (*own, *shared)}
        return called

    return of


def open_study(path: Path, *, read_only: bool = False) -> "Study":
    """The study, opened for a command; what that takes is loaded only then."""
    from medreview.study import Study

    say_if_older(path, read_only)
    return Study.open(path, read_only=read_only)


def no_response(study: Path) -> UserError:
    """That a study holds nothing to look at yet, with the command that brings it in."""
    return UserError(f"The study {study} has no response yet: bring some in with `{command('import', study, 'FILE')}`.")


MAP_IS_FOR_FILES: Final = "--map is for files; the responses of a study have their fields."


def only_one(given: Mapping[str, object]) -> None:
    """Raise :class:`UserError` where more than one of these options, by name, was given."""
    if sum(value not in (None, False, []) for value in given.values()) > 1:
        *first, last = given
        raise UserError(f"Give one of {', '.join(first)} and {last}.")


StudyFile = Annotated[
    Path, Argument(metavar="STUDY", help="The study file.", callback=study_path, autocompletion=studies)
]
Json = Annotated[bool, Option("--json", help="Print the result as JSON.")]
"""Every command with a result can print it for a script."""
Reviewer = Annotated[
    str | None, Option(autocompletion=reviewers, help="Who decides; default: from the settings, else the login name.")
]


def decider(named: str | None) -> str:
    """The reviewer that :data:`Reviewer` names, else that of the settings."""
    from medreview.config import load_config

    return named or load_config().reviewer


OneReviewer = Annotated[
    str | None, Option(metavar="NAME", autocompletion=reviewers, help="One reviewer; default: all of them.")
]
Seed = Annotated[int | None, Option(min=0, help="Seed of the resampling; default: 1.")]
Replicates = Annotated[int | None, Option(min=99, help="How many resamples; default: 9,999.")]
DryRun = Annotated[bool, Option("--dry-run", help="Say what would be asked and cost; ask nothing.")]
LocalOnly = Annotated[bool, Option("--local-only", help="Refuse models outside this machine.")]
BatchFiles = Annotated[
    list[Path] | None, Option("--batch-in", metavar="FILE", help="Take results back; may be repeated.")
]
BatchSubmit = Annotated[
    bool, Option("--batch-submit", help="Run it as a batch at the model's server, or go on with one there.")
]
NoWait = Annotated[bool, Option("--no-wait", help="With --batch-submit: do not wait; the same command collects it.")]


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """Which answers are read of a file, and what the file does not say."""

    question: Annotated[
        str | None, Option("--question", metavar="TEXT", help="The question of answers whose file has none.")
    ] = None
    requests: Annotated[
        Path | None, Option("--requests", metavar="FILE", help="What was asked: a batch's input, joined by its ids.")
    ] = None
    producer: Annotated[
        str | None,
        Option(
            "--producer",
            metavar="NAME",
            autocompletion=producers,
            help="What wrote the file; `import --producers` lists them.",
        ),
    ] = None
    only: Annotated[
        str | None, Option("--only", metavar="WORDS", help="Of an export of chats, those with WORDS in their titles.")
    ] = None
    since: Annotated[
        str | None, Option("--since", metavar="DATE", help="Of an export of chats, those from DATE on (2026-11-01).")
    ] = None
    everything: Annotated[bool, Option("--all-chats", help="Of an export of chats, all of them, however many.")] = False
    split: Annotated[
        bool, Option("--split-at-headings", help="Make an answer of the text below each heading with a question.")
    ] = False

    def chosen(self) -> "Chosen":
        """What they stand for."""
        from medreview.import_files import Chosen

        return Chosen(
            producer=self.producer or "",
            question=self.question or "",
            requests=self.requests,
            only=self.only or "",
            since=self.since or "",
            everything=self.everything,
            split_at_headings=self.split,
        )


Map = Annotated[
    list[str] | None,
    Option(
        "--map",
        metavar="COLUMN=FIELD",
        help="Which column is which field (--map answer_text=response), or a field's text for all (--map judge:=NAME).",
    ),
]


def read_mapping(told: Sequence[str] | None) -> dict[str, str]:
    """The fields by their columns. Raises :class:`UserError` for anything but ``COLUMN=FIELD``."""
    mapping = {}
    for pair in told or []:
        column, separator, name = pair.partition("=")
        if not separator or not column or not name:
            raise UserError(f"--map wants COLUMN=FIELD, not {pair!r}.")
        mapping[column] = name
    return mapping


TieName = Literal["undecided", "supported", "not-supported"]
Ties = Annotated[
    TieName | None, Option("--ties", help="What a tied jury gives; default: as set before, else undecided.")
]


def rule_named(ties: TieName) -> "TieRule":
    """The rule of a study, by what the option calls it."""
    return "not_supported" if ties == "not-supported" else ties


def keep_rule(study: Path, ties: TieName) -> None:
    """Set the tie rule of a study."""
    from medreview import pipeline

    with open_study(study) as opened, progress() as bar:
        pipeline.set_tie_rule(opened, rule_named(ties), bar)


RemarksOf = Annotated[
    list[str] | None,
    Option(
        "--remarks-of",
        metavar="NAME",
        help="For hallucination_assisted: show the judge this reviewer's remarks; may be repeated. Default: as chosen "
        "before, else `experts`, all reviewers who are not laypeople.",
    ),
]
ReasonsOnly = Annotated[
    bool | None,
    Option(
        "--reasons-only/--labels-too", help="Of these remarks show only reasons and notes, or labels and marks, too."
    ),
]


def choose_remarks(study: "Study", names: Sequence[str] | None, reasons_only: bool | None) -> None:
    """Keep the choice in the study, and say what it is now."""
    from medreview.judges.tasks.hallucination import remarks_of, set_remarks

    if names or reasons_only is not None:
        set_remarks(study, names or (), reasons_only)
    say(remarks_of(study.reader).words)
