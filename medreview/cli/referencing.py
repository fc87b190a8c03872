"""References of a file, a text or a study, and whom they are held against."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from medreview.cli.network import authorities_from_config, network_from_config, services_from_config
from medreview.cli.output import bad_records, counted, progress, say
from medreview.cli.references_filter import answer_lines, library_of_files
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.cli.reports.checked_references import CheckedReport
    from medreview.pipeline import Authorities
    from medreview.progress import Progress
    from medreview.references.model import Reference, ReferenceCheck

STDIN: Final = "standard input"
_TOGETHER: Final = 100
"""Lines of a filter that services are asked about at once: what waits goes into one request."""


class Whom(NamedTuple):
    """Whom references are held against, as the options say; ``online`` is ``None`` where they say nothing of it.

    ``again``: of a study, what nobody had is asked anew.
    """

    libraries: Sequence[Path]
    online: bool | None = None
    proxy: str | None = None
    again: bool = False

    @property
    def ask(self) -> bool:
        """Whether services are asked: a library is asked alone, unless something else was said."""
        return not self.libraries if self.online is None else self.online


class Checker:
    """Checks references one list after the other; what was answered once is not asked again."""

    def __init__(self, asked: Whom) -> None:
        from medreview.references.answer_store import MemoryAnswers

        self._asked = asked
        self._library = library_of_files(asked.libraries).library if asked.libraries else None
        self._answers = MemoryAnswers()
        self._said = False

    def check(self, references: "Sequence[Reference]") -> "list[ReferenceCheck | None]":
        """The checks in order; ``None`` where nobody could be asked."""
        found: list[ReferenceCheck | None] = [None] * len(references)
        with progress() as bar:
            if self._asked.ask:
                self._look_up(references, found, bar)
            elif self._library is not None:
                bar.begin("references", len(references))
                for place, reference in enumerate(references):
                    found[place] = self._library.check(reference)
                    bar.step()
        return found

    def _look_up(
        self, references: "Sequence[Reference]", found: "list[ReferenceCheck | None]", bar: "Progress"
    ) -> None:
        from medreview.references.services.look_up import look_up

        done = look_up(
            references,
            services_from_config(),
            network_from_config(self._asked.proxy),
            self._answers,
            library=self._library,
            on_done=found.__setitem__,
            progress=bar,
            say=self._say,
        )
        say(*done.stopped.values())

    def _say(self, sentence: str) -> None:
        """What leaves the machine; once, and not before each batch of lines."""
        if not self._said:
            say(sentence)
            self._said = True


def answer_stdin(asked: Whom) -> None:
    """The filter: a line out for each line in."""
    from medreview.references.model import ReferenceCheck

    checker = Checker(asked)
    unasked = ReferenceCheck("not_checkable", because="Nobody could be asked.")

    def check(references: "Sequence[Reference]") -> "Iterator[ReferenceCheck]":
        return (one or unasked for one in checker.check(references))

    answer_lines(check, _TOGETHER if asked.ask else 1)


def checked_file(source: str, mapping: Mapping[str, str], asked: Whom) -> "CheckedReport":
    """The references of a file, or of standard input, checked; records that were left out are said.

    Raises :class:`UserError` when it cannot be read, names no reference, or nobody is to be asked.
    """
    from medreview.cli.reports.checked_references import CheckedReport
    from medreview.references.brought import CheckedReference, brought_by, brought_in

    if not (asked.ask or asked.libraries):
        raise UserError("--offline needs a library to look in: --library FILE.")
    if source == "-" and sys.stdin.isatty():
        say("Type or paste references; Ctrl-D ends.")
    name = STDIN if source == "-" else Path(source).name
    found = brought_in(sys.stdin.buffer.read(), mapping) if source == "-" else brought_by(Path(source), mapping)
    bad_records(found.bad, name if source == "-" else source)
    if not found.references:
        where = f"{counted(found.texts, 'response')} of {name}" if found.texts > 1 else name
        raise UserError(f"No reference was found in {where}; the plainest form is a list with one on each line.")
    checks = Checker(asked).check([one.reference for one in found.references])
    checked = tuple(
        CheckedReference(one, None if one.reference.bare_url else check)
        for one, check in zip(found.references, checks, strict=True)
    )
    return CheckedReport(name, checked, found.texts, found.bad)


def read_by_model(path: Path, judge: str, *, local_only: bool) -> None:
    """Let a judge of the settings read the references of a study that the rules read with doubt; what that costs is
    said before."""
    from medreview import pipeline
    from medreview.cli.ask_models import did, judges_named, planned, say_what_is_waited_for, say_where_texts_go
    from medreview.judges.tasks.references import NAME
    from medreview.study import Study

    judges = judges_named([judge], task=NAME, local_only=local_only)
    with Study.open(path) as study, progress() as bar:
        pipeline.find_references(study, bar)
        (plan,) = pipeline.plan_for(study, judges, progress=bar)
        if not plan.units:
            say("The rules read no reference with doubt: the model is not asked.")
            return
        say(planned(plan, "reference"))
        say_where_texts_go(judges)
        try:
            done = pipeline.judge_by(study, judges, progress=bar, on_wait=say_what_is_waited_for)
        except pipeline.Interrupted as stopped:
            say(*(line for tally in stopped.summary.judges for line in did(tally)))
            raise
    say(*(line for tally in done.judges for line in did(tally)))


def checked_study(path: Path, asked: Whom, *, each: bool) -> "CheckedReport":
    """The references of a study: found, checked and kept where that is missing. ``each``: single ones will be shown.

    Raises :class:`UserError` when it has no response, or cannot be written.
    """
    from medreview.cli.looking import looked
    from medreview.cli.reports.checked_references import CheckedReport
    from medreview.pipeline import check_references
    from medreview.references.brought import Brought, CheckedReference
    from medreview.references.study_checks import study_checks
    from medreview.study import Study
    from medreview.units.statement_view import response_name

    with Study.open(path) as study:
        responses = study.reader.execute("SELECT count(*) FROM response").fetchone()[0]
        if not responses:
            raise UserError(
                f"The study {path} has no response yet: bring some in with `{command('import', path, 'FILE')}`."
            )
        with progress() as bar:
            done = check_references(study, _authorities(asked), bar)
        say(*done.stopped.values())
        looked(study, "references", "verdicts" if each else "totals")
        checked = tuple(
            CheckedReference(Brought(one.reference, 0, response_name(one.response), one.model, one.origin), one.check)
            for one in study_checks(study.reader)
        )
    return CheckedReport(path.name, checked, responses)


def _authorities(asked: Whom) -> "Authorities":
    """The same for a study: where the options name no library, that of the settings, as ``run`` would ask."""
    from medreview.pipeline import Authorities
    from medreview.sources.fetching.network import Network
    from medreview.sources.fetching.services import Services

    told = asked.ask if asked.libraries else asked.online
    found = authorities_from_config(asked.libraries, ask=told, proxy=asked.proxy)
    if found is None and asked.ask:
        found = authorities_from_config(ask=True, proxy=asked.proxy)
    if asked.again and (found is None or not found.ask):
        raise UserError("--again asks services once more: it cannot go without --online here.")
    return replace(found, again=asked.again) if found else Authorities(Services(), Network())
