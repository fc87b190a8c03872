"""The command ``run``: every step that makes a study ready to review."""

from medreview.cli.importing import Files, opened_or_made, prepare, prepared_sentence
from medreview.cli.mapping import Map
from medreview.cli.network import PagesFrom, Proxy, Robots, pages_from
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import result
from medreview.next_step import command


def run(
    study: StudyFile,
    files: Files,
    pages: PagesFrom = None,
    mapping: Map = None,
    proxy: Proxy = None,
    robots: Robots = None,
    as_json: Json = False,
) -> None:
    """Import answers, fetch what they cite, split them into statements and judge these: ready to review.

    Makes the study if there is none. Run it again after an interruption: it does what is missing.

    Example: medreview run sepsis.medreview answers.jsonl
    """
    with opened_or_made(study) as opened:
        done = prepare(opened, files, mapping, pages_from(pages, proxy, robots), "run", study)
        sentence = prepared_sentence(opened, done)
    result(done, sentence, f"Review them: {command('review', study)}", as_json=as_json)
