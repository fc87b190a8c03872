"""The command ``parse``: responses into statements."""

from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, progress, result


def parse(study: StudyFile, as_json: Json = False) -> None:
    """Split the responses into statements, by rules.

    Example: medreview parse sepsis.medreview
    """
    from medreview import pipeline
    from medreview.study import Study

    with Study.open(study) as opened, progress() as bar:
        done = pipeline.parse(opened, bar)
    empty = f"; {counted(done.empty, 'response')} without any" if done.empty else ""
    result(
        done,
        f"{counted(done.statements, 'statement')} in {counted(done.responses, 'response')}, "
        f"{done.dropped} parts that are none{empty}",
        as_json=as_json,
    )
