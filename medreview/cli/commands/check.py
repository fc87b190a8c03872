"""The command ``check``: is the study whole?"""

import typer

from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, result


def check(study: StudyFile, as_json: Json = False) -> None:
    """Look whether the study is whole: structure, texts, places, and the chain of decisions. Changes nothing.

    Exit code 1 when something is wrong. Example: medreview check sepsis.medreview
    """
    from medreview.cli.output import say
    from medreview.study import Study
    from medreview.study.check import check as look

    with Study.open(study, read_only=True) as opened:
        wrong = look(opened.reader)
        events = opened.reader.execute("SELECT count(*) FROM event").fetchone()[0]
    for sentence in wrong:
        say(sentence)
    found = counted(len(wrong), "fault") if wrong else "whole"
    result({"faults": wrong, "events": events}, f"{study}: {found}, {counted(events, 'event')}", as_json=as_json)
    raise typer.Exit(1 if wrong else 0)
