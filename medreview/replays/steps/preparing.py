"""What the offline stages do: pages, statements, the offline judge."""

from dataclasses import dataclass

from medreview import pipeline
from medreview.replays.replay import Given, Outcome, Step
from medreview.words import counted, in_words


@dataclass(frozen=True, slots=True)
class Pages(Step):
    """The cited sources are downloaded, or taken from saved pages."""

    name: str = "pages"
    about: str = "Download what the responses cite, and read it."

    def run(self, given: Given) -> Outcome:
        """Fetch the sources that have no page yet."""
        waiting = given.study.reader.execute(_NO_PAGE).fetchone()[0]
        if not waiting:
            return Outcome(
                "done", _count(given, "SELECT count(*) FROM source WHERE current_snapshot IS NOT NULL", "page")
            )
        done = pipeline.fetch(given.study, given.pages, progress=given.progress)
        fetched = sum(done.states.values())
        states = ", ".join(f"{count} {in_words(state)}" for state, count in done.states.items())
        words = f"{counted(fetched, 'page')} fetched ({states})" if fetched else "no page was there"
        lines = (done.note,) if done.note else ()
        if done.missing:
            words += f"; {done.missing} not among the saved pages"
        return Outcome("did" if fetched else "done", words, lines=lines)


@dataclass(frozen=True, slots=True)
class Statements(Step):
    """Responses are split by rules; what a model has split already stays so."""

    name: str = "statements"
    about: str = "Split the responses into statements that can be verified one by one."

    def run(self, given: Given) -> Outcome:
        """Split those that are not split yet."""
        done = pipeline.parse(given.study, given.progress)
        if not done.responses:
            return Outcome("done", _count(given, "SELECT count(*) FROM statement_standing", "statement"))
        words = f"{counted(done.statements, 'statement')} of {counted(done.responses, 'response')}"
        if done.empty:
            words += f", {done.empty} without any"
        return Outcome("did", words)


@dataclass(frozen=True, slots=True)
class OfflineJudge(Step):
    """The rules look at every pair first: triage, so that a study without any model can be reviewed."""

    name: str = "offline rules"
    about: str = "Compare words, numbers and negations of every statement with its sources."

    def run(self, given: Given) -> Outcome:
        """Judge the pairs that the rules have not seen."""
        done = pipeline.judge(given.study, given.progress, given.processes, given.synonyms)
        words = f"{counted(done.pairs, 'pair')} judged; {counted(done.flagged, 'statement')} flagged"
        return Outcome("did" if done.pairs else "done", words)


_NO_PAGE = """SELECT count(*) FROM source AS u WHERE current_snapshot IS NULL
AND EXISTS (SELECT 1 FROM citation AS c WHERE c.source_id = u.source_id)"""


def _count(given: Given, query: str, noun: str) -> str:
    return counted(int(given.study.reader.execute(query).fetchone()[0]), noun)
