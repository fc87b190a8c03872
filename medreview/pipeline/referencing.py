"""The references of a study: found in its responses, held against libraries and services, and triage told of them."""

from medreview.citations.stage import extract_all
from medreview.pipeline.rolling_up import rolled_up
from medreview.progress import SILENT, Progress
from medreview.references.check_stage import Authorities, CheckSummary, check_all
from medreview.references.stage import find_all
from medreview.statements.marker_stage import mark_all
from medreview.study import Study


def find_references(study: Study, progress: Progress = SILENT) -> int:
    """Find the references of every response that the rules did not see yet; how many responses those were.

    Offline, and a matter of milliseconds a response.
    """
    with rolled_up(study, progress):
        return _find(study, progress)


def check_references(study: Study, authorities: Authorities, progress: Progress = SILENT) -> CheckSummary:
    """Find the references that were not found yet, and check those that these authorities did not look at.

    What is asked and kept: :func:`medreview.references.stage.check_all`.
    """
    with rolled_up(study, progress):
        _find(study, progress)
        return check_all(study, authorities, progress)


def _find(study: Study, progress: Progress) -> int:
    extract_all(study, progress)
    mark_all(study, progress)
    return find_all(study, progress)
