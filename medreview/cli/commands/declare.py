"""The command ``declare``: the declarations that a journal asks for, shown and set."""

from dataclasses import asdict
from typing import Annotated

from typer import Option

from medreview.cli.options import Json, Reviewer, StudyFile, decider, open_study
from medreview.cli.output import counted, one_line, result, say

Said = str | None


def declare(
    study: StudyFile,
    ethics: Annotated[Said, Option(metavar="TEXT", help="Ethics committee, number, consent.")] = None,
    privacy: Annotated[Said, Option(metavar="TEXT", help="How patient data were protected.")] = None,
    funding: Annotated[Said, Option(metavar="TEXT", help="Who paid, and their role in the study.")] = None,
    conflicts: Annotated[Said, Option(metavar="TEXT", help="Conflicts of interest of every author.")] = None,
    registration: Annotated[
        Said, Option(metavar="TEXT", help="Register and number, or that it was not registered.")
    ] = None,
    protocol: Annotated[
        Said, Option(metavar="TEXT", help="Where readers find the protocol, or that there is none.")
    ] = None,
    data: Annotated[Said, Option(metavar="TEXT", help="Where readers can get the data, or why not.")] = None,
    code: Annotated[Said, Option(metavar="TEXT", help="Where readers can get the code, or why not.")] = None,
    patients: Annotated[
        Said, Option(metavar="TEXT", help="Which patients or members of the public took part, in what.")
    ] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show or set the declarations that a journal asks for: ethics, funding, registration and others.

    medreview stores who wrote each text and when. The report prints the texts at its end, checklists use them
    (`report --checklist`), and every copy and merge keeps them. An empty text clears a field.

    Example: medreview declare sepsis.medreview --funding "None." --registration "Not registered."
    """
    from medreview.study.study_acts import DECLARED, declarations
    from medreview.study.study_acts import declare as say_of

    given = {
        "ethics": ethics, "privacy": privacy, "funding": funding, "conflicts": conflicts, "registration": registration,
        "protocol": protocol, "data": data, "code": code, "patients": patients,
    }  # fmt: skip
    new = {name: text for name, text in given.items() if text is not None}
    with open_study(study, read_only=not new) as opened:
        if new:
            who = decider(reviewer)
            changed = sum(say_of(opened, who, name, text) for name, text in new.items())
            say(f"{counted(changed, 'field')} changed")
        found = declarations(opened.reader)
    lines = [f"{one.field}: {one_line(one.text)} ({one_line(one.by)}, {one.at[:10]})" for one in found]
    open_fields = [one.name for one in DECLARED if one.name not in (each.field for each in found)]
    if open_fields:
        lines.append(f"not declared yet: {', '.join(open_fields)}")
    result([asdict(one) for one in found], *lines, as_json=as_json)
