"""Texts become passages: whole, or the paragraphs that are worth a question."""

from dataclasses import dataclass
from pathlib import Path

from medreview.generators.passages import run
from medreview.generators.source_texts import text_of_file
from medreview.generators.text_files import Texts, read_texts
from medreview.replays.replay import Given, Outcome, Step
from medreview.replays.steps.bringing import texts_in
from medreview.storable import storable_text
from medreview.units.stored import add_passages
from medreview.words import counted, in_words


@dataclass(frozen=True, slots=True)
class WholeTexts(Step):
    """Each text is one passage."""

    name: str = "texts"
    about: str = "Read the texts to ask about, each as a whole."

    @property
    def reads_files(self) -> bool:
        """It does."""
        return True

    def run(self, given: Given) -> Outcome:
        """Store those that the study does not have."""
        paths = texts_in(given.files)
        if not paths:
            return _without(given)
        read = [(path, read_texts(path)) for path in paths]
        new = sum(_store(given, path, texts) for path, texts in read)
        lines = tuple(f"{path}, line {one.line}: {one.reason}; left out" for path, texts in read for one in texts.bad)
        every = sum(len(texts.passages) for _, texts in read)
        return Outcome("did" if new else "done", f"{counted(every, 'text')}, {new} of them new", lines=lines)


@dataclass(frozen=True, slots=True)
class Paragraphs(Step):
    """The paragraphs of the texts are measured; rules leave some out, and the rest are passages (ClinIQLink 3.1)."""

    name: str = "passages"
    about: str = "Take the paragraphs that are worth a question: rules of form, and three measures."

    @property
    def reads_files(self) -> bool:
        """It does."""
        return True

    def run(self, given: Given) -> Outcome:
        """Measure them all; store those that are kept and not there yet."""
        paths = texts_in(given.files)
        if not paths:
            return _without(given)
        measures = run.Measures()
        chosen, thresholds = run.choose(run.paragraphs_of(map(text_of_file, paths)), measures, None, given.progress)
        new = run.store(given.study, chosen, measures, thresholds)
        told = run.summary_of(len(paths), chosen, measures, thresholds, new)
        rules = ", ".join(f"{count.first} {in_words(code)}" for code, count in told.rules.items() if count.first)
        lines = (f"left out by: {rules}",) if rules else ()
        words = f"{told.kept} of {counted(told.paragraphs, 'paragraph')} kept, {new} of them new"
        return Outcome("did" if new else "done", words, lines=lines)


def _store(given: Given, path: Path, texts: Texts) -> int:
    """How many of them were new."""
    name = storable_text(path.name)
    return given.study.write(lambda connection: add_passages(connection, texts.passages, name))


def _without(given: Given) -> Outcome:
    there = int(given.study.reader.execute("SELECT count(*) FROM passage").fetchone()[0])
    return Outcome("done", f"{counted(there, 'text')} there") if there else Outcome("left", "no text is named")
