"""The command ``run``: every step that makes a study ready to review."""

from medreview.cli.importing import Files, imported_sentence, opened_or_made, say_what_is_missing
from medreview.cli.mapping import Map, read_mapping
from medreview.cli.network import PagesFrom, Proxy, Robots, pages_from, pages_sentence
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, progress, result, say
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
    from medreview import pipeline
    from medreview.config import load_config

    own = load_config().synonyms_file
    with opened_or_made(study) as opened, progress() as bar:
        done = pipeline.run(opened, files, read_mapping(mapping), pages_from(pages, proxy, robots), bar, own)
        statements = opened.reader.execute("SELECT count(*) FROM statement").fetchone()[0]
    for imported in done.imported:
        say(imported_sentence(imported))
        say_what_is_missing(imported, study, "run", study)
    if done.fetched.note:
        say(done.fetched.note)
    result(
        done,
        f"{study}: {counted(statements, 'statement')}, {done.judged.flagged} flagged; "
        f"{pages_sentence(done.fetched)}.\nReview them: {command('review', study)}",
        as_json=as_json,
    )
