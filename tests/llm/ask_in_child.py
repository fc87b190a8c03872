"""Questions put to a server in a process of its own, and the memory that this took.

``python -m tests.llm.ask_in_child ADDRESS...`` asks each address once, after a first question to the first one, and
prints a line of JSON for each.
"""

import asyncio
import json
import sys

from medreview.llm.judge_client import Judge
from medreview.llm.settings import JudgeSettings
from tests.llm.questions import ask_of
from tests.sources.in_child import memory


async def _asked(address: str) -> dict[str, object]:
    async with Judge(JudgeSettings("one", "m", address, timeout=60.0), backoff=0.001) as judge:
        answer = await judge.ask(ask_of())
    return {"status": answer.status, "error": answer.error}


def main() -> None:
    """Ask all addresses; ``growth_mb`` is the growth of the largest resident memory since the first answer."""
    asyncio.run(_asked(sys.argv[1]))
    before = memory("VmHWM")
    for address in sys.argv[2:]:
        told = asyncio.run(_asked(address))
        print(json.dumps({**told, "growth_mb": memory("VmHWM") - before}), flush=True)


if __name__ == "__main__":
    main()
