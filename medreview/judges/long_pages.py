"""Pages that were too long for a judge's context and were put to it in parts (``context_windows``): how many."""

import sqlite3
from collections.abc import Sequence
from typing import Final

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
