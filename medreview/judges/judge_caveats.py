"""What must be said wherever judges are counted: they judged their own model's work, or saw long pages in parts.

Models are known to favour what they, or models like them, wrote. The same model is one of the same name at the same
host, whatever the settings call it; its family goes by its name, and an unknown one is a family of its own.

Pages in parts are those that were too long for a judge's context (``medreview.judges.prompt_texts``).
"""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.llm.settings import JudgeSettings, as_told
from medreview.text import counted


@dataclass(frozen=True, slots=True)
class OwnWork:
    """A judge and what it judges of its own model's: so many responses, or inputs of a ``generator`` (0: not known)."""

    judge: str
    model: str
    host: str
    number: int
    generator: str = ""

    @property
    def words(self) -> str:
        """A sentence, with names as they were given."""
        of_what = f" of {self.generator}" if self.generator else ""
        what = counted(self.number, "input" if self.generator else "response") + of_what
        told = f": {what}" if self.number else ""
        return f"{self.judge} judges what its own model wrote ({self.model} at {self.host}){told}."


_WRITTEN: Final = """
SELECT run.model, run.host, product.made AS response_id
FROM generation_product AS product JOIN generation_run AS run USING (run_id) WHERE product.kind = 'response'"""
_TO_JUDGE: Final = f"SELECT count(DISTINCT response_id) FROM ({_WRITTEN}) WHERE (model, host) = (?, ?)"
_JUDGED: Final = f"""
WITH asked AS (SELECT DISTINCT judge, model, host FROM llm_call),
judged AS (
    SELECT judge_run_id, response_id FROM judgement JOIN statement USING (statement_id)
    UNION SELECT judge_run_id, response_id FROM merged_judgement JOIN statement USING (statement_id)
    UNION SELECT judge_run_id, response_id FROM hallucination_finding
    UNION SELECT judge_run_id, response_id FROM key_fact_vote)
SELECT run.judge, asked.model, asked.host, count(DISTINCT written.response_id)
FROM ({_WRITTEN}) AS written JOIN judged USING (response_id) JOIN judge_run AS run USING (judge_run_id)
JOIN asked ON (asked.judge, asked.model, asked.host) = (run.judge, written.model, written.host)
    AND run.model = asked.model
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"""
_VERIFIED: Final = """
SELECT judge, model, host, generator, (SELECT count(*) FROM generation_current AS g WHERE g.run_id = run.run_id)
FROM generation_run AS run WHERE judge <> '' ORDER BY ordinal"""


def verifies_its_own(writer: JudgeSettings, judge: JudgeSettings | None) -> OwnWork | None:
    """What is to be said where a model verifies what it writes itself."""
    if judge is None or (writer.model, writer.host) != (judge.model, judge.host):
        return None
    return OwnWork(judge.name, judge.model, judge.host, 0)


def own_work_ahead(reader: sqlite3.Connection, judge: JudgeSettings) -> OwnWork | None:
    """The responses in the study that the model of a judge wrote; ``None`` when it wrote none."""
    number = reader.execute(_TO_JUDGE, (judge.model, judge.host)).fetchone()[0]
    return OwnWork(judge.name, judge.model, judge.host, number) if number else None


def own_work_done(reader: sqlite3.Connection) -> list[OwnWork]:
    """What judges have said of their own model's responses, and of what it generated, by judge."""
    written = reader.execute("SELECT EXISTS (SELECT 1 FROM generation_product WHERE kind = 'response')").fetchone()[0]
    found = [OwnWork(*row) for row in reader.execute(_JUDGED)] if written else []
    for judge, model, host, generator, number in reader.execute(_VERIFIED):
        end = f": {as_told(model)} at {as_told(host)}"
        if judge.endswith(end):
            found.append(OwnWork(judge.removesuffix(end), model, host, number, generator))
    return found


_PART: Final = "--- part {} ---\n"

_PAGES: Final = f"""
SELECT run.judge, count(DISTINCT j.snapshot_id) FROM judgement AS j JOIN judge_run AS run USING (judge_run_id)
WHERE run.kind = 'llm' AND substr(j.raw_output, 1, {len(_PART.format(1))}) = '{_PART.format(1)}'
      AND j.snapshot_id IN (SELECT snapshot_id FROM snapshot_current)
GROUP BY 1"""


def outputs_of_parts(outputs: Sequence[str]) -> str:
    """What a judge said of the parts, one after the other, for the column ``raw_output``; of one part, as it is."""
    if len(outputs) == 1:
        return outputs[0]
    return "\n".join(_PART.format(number) + output for number, output in enumerate(outputs, 1))


def pages_in_parts(reader: sqlite3.Connection) -> dict[str, int]:
    """By judge, the pages as they are now that it saw in parts; a judge that saw all of them whole is not in it."""
    return {row[0]: row[1] for row in reader.execute(_PAGES)}


_KNOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "gpt": ("gpt", "chatgpt", "davinci", "o1", "o3", "o4"),
    "claude": ("claude",),
    "gemini": ("gemini", "bard", "palm"),
    "gemma": ("gemma", "medgemma"),
    "llama": ("llama", "vicuna", "alpaca", "meditron"),
    "mistral": ("mistral", "mixtral", "ministral", "magistral", "codestral"),
    "qwen": ("qwen", "qwq"),
    "deepseek": ("deepseek",),
    "command": ("command", "cohere", "aya"),
    "phi": ("phi",),
    "grok": ("grok",),
    "olmo": ("olmo",),
}
_FAMILIES: Final = {word: family for family, words in _KNOWN.items() for word in words}
_WORD: Final = re.compile(r"[^\W_]+")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


def family_of(model: str, *, known: bool = False) -> str:
    """The family: that of the first word that names one (``meta-llama/Llama-3.1-8B``: llama), else the first word
    without its digits. ``known``: only the former. ``""`` where there is none."""
    words = _WORD.findall(model.casefold())
    for word in words:
        family = _FAMILIES.get(word) or _FAMILIES.get(_stem(word))
        if family:
            return family
    return "" if known else next(filter(None, map(_stem, words)), "")


def _stem(word: str) -> str:
    found = _LETTERS.match(word)
    return found[0] if found else ""
