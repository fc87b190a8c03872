"""Tokens and cost of judges: estimated before anything is sent, without a tokenizer; summed up from ``llm_call``."""

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from medreview.llm.call import STATUSES, JudgeRequest
from medreview.llm.settings import JudgeSettings

MESSAGE_TOKENS: Final = 8
"""Tokens that a chat template adds to one message, at most."""
ANSWER_TOKENS: Final = 250
"""Assumed for an answer of unlimited length: a quote of three sentences, a reason, a label."""

_WORD: Final = re.compile(r"\S+")
_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The size of a set of requests: an upper bound of prompt tokens, a guess of completion tokens."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    """``None`` when the judge has no prices."""


def tokens_of(text: str) -> int:
    """A practical upper bound of tokens: one per three bytes of UTF-8. English prose has one per four to five."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def fewest_tokens(text: str) -> int:
    """A lower bound of tokens: no tokenizer in use merges words; of Chinese, Japanese and Korean characters it merges
    two or three."""
    return len(_WORD.findall(text)) + int(0.4 * len(_CJK.findall(text)))


def prompt_tokens_of(messages: Iterable[Mapping[str, str]]) -> int:
    """The bound of :func:`tokens_of` for a whole prompt."""
    return sum(tokens_of(message["content"]) + MESSAGE_TOKENS for message in messages)


def answer_limits(settings: JudgeSettings) -> list[int]:
    """The limits of an answer in the parameters, in tokens."""
    limits = (settings.params.get(name) for name in ("max_completion_tokens", "max_tokens"))
    return [limit for limit in limits if isinstance(limit, int)]


def answer_tokens_of(settings: JudgeSettings) -> int:
    """Assumed tokens of one answer: :data:`ANSWER_TOKENS`, or the limit in the parameters when that is lower."""
    return min([ANSWER_TOKENS, *answer_limits(settings)])


def cost_of(settings: JudgeSettings, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
    """The cost by the configured prices; ``None`` when a price or a count is missing."""
    if None in (settings.price_input, settings.price_output, prompt_tokens, completion_tokens):
        return None
    paid = (prompt_tokens or 0) * (settings.price_input or 0) + (completion_tokens or 0) * (settings.price_output or 0)
    return paid / 1_000_000


def estimate(requests: Iterable[JudgeRequest], settings: JudgeSettings) -> CostEstimate:
    """Calls, tokens and cost of sending each request once, without repair turns and retries."""
    calls = prompt = 0
    for request in requests:
        calls += 1
        prompt += prompt_tokens_of(request.messages)
    completion = calls * answer_tokens_of(settings)
    return CostEstimate(calls, prompt, completion, cost_of(settings, prompt, completion))


@dataclass(frozen=True, slots=True)
class Requests:
    """HTTP requests to models: ``sent``; ``kept``: came back with an answer; ``declined``: with the server's error, or
    there was no connection to it.

    Those that are ``lost`` have no answer that could be read: a connection broke, time ran out, or the program was
    killed. They may have been answered, and paid for.
    """

    sent: int = 0
    kept: int = 0
    declined: int = 0

    @property
    def lost(self) -> int:
        """What was sent and never answered, as far as is known."""
        return self.sent - self.kept - self.declined

    def __add__(self, more: "Requests") -> "Requests":
        return Requests(self.sent + more.sent, self.kept + more.kept, self.declined + more.declined)

    def __sub__(self, before: "Requests") -> "Requests":
        return Requests(self.sent - before.sent, self.kept - before.kept, self.declined - before.declined)


_REQUESTS: Final = """SELECT coalesce(sum(sent), 0), coalesce(sum(kept), 0), coalesce(sum(declined), 0) FROM llm_sent
    WHERE (:judge IS NULL OR (judge = :judge AND model = :model AND host = :host AND task = :task))"""


def requests_sent(
    connection: sqlite3.Connection, judge: str | None = None, model: str = "", host: str = "", task: str = ""
) -> Requests:
    """What the study knows of all requests, or of those of one judge, model, host and task."""
    who = {"judge": judge, "model": model, "host": host, "task": task}
    return Requests(*connection.execute(_REQUESTS, who).fetchone())


@dataclass(frozen=True, slots=True)
class Spent:
    """The totals of one judge and model on one task.

    ``calls`` are counted with their last status; tokens and cost are those of all tries. ``reused`` counts the cache
    hits. ``cost`` is ``None`` when no answer has one; ``unpriced`` counts the answers of unknown cost. Latencies are
    those of live calls (not of a batch) with status ``ok``, in milliseconds; ``None`` without any. ``requests_sent``,
    ``requests_kept`` and ``requests_lost`` are of :class:`Requests`, also of questions without an outcome.
    """

    judge: str
    model: str
    host: str
    task: str
    calls: int
    statuses: dict[str, int] = field(default_factory=dict)
    tries: int = 0
    reused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    unpriced: int = 0
    latency_median_ms: int | None = None
    latency_p95_ms: int | None = None
    requests_sent: int = 0
    requests_kept: int = 0
    requests_lost: int = 0


_SUMS = """SELECT judge, model, host, task, sum(asked) AS calls, sum(tries) AS tries, sum(reused) AS reused,
    coalesce(sum(prompt_tokens), 0) AS prompt_tokens, coalesce(sum(completion_tokens), 0) AS completion_tokens,
    sum(cost) AS cost, sum(cost IS NULL AND tries > 0) AS unpriced
    FROM (SELECT judge, model, host, task, tries, reused, prompt_tokens, completion_tokens, cost, 1 AS asked
    FROM llm_call UNION ALL SELECT judge, model, host, task, 0, 0, NULL, NULL, NULL, 0 FROM llm_sent)
    GROUP BY judge, model, host, task ORDER BY judge, model, host, task"""
_STATUSES = """SELECT status, count(*) FROM llm_call
    WHERE judge = ? AND model = ? AND host = ? AND task = ? GROUP BY status"""
_LATENCIES = """SELECT latency_ms FROM llm_call
    WHERE judge = ? AND model = ? AND host = ? AND task = ? AND status = 'ok' AND rung <> ''
    ORDER BY latency_ms"""


def spent(connection: sqlite3.Connection) -> list[Spent]:
    """Cost and latency by judge, model, host and task."""
    found = []
    for row in connection.execute(_SUMS).fetchall():
        who = (row["judge"], row["model"], row["host"], row["task"])
        counts = dict(connection.execute(_STATUSES, who).fetchall())
        requests = requests_sent(connection, *who)
        latencies = [int(latency[0]) for latency in connection.execute(_LATENCIES, who)]
        found.append(
            Spent(
                **dict(row),
                statuses={status: counts[status] for status in STATUSES if status in counts},
                latency_median_ms=quantile(latencies, 0.5),
                latency_p95_ms=quantile(latencies, 0.95),
                requests_sent=requests.sent,
                requests_kept=requests.kept,
                requests_lost=requests.lost,
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class PromptCost:
    """What questions with one prompt to one model took: as :class:`Spent`. ``with_runs``: other runs that asked with
    the same prompt, and are in these sums."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    unpriced: int
    latency_median_ms: int | None
    latency_p95_ms: int | None
    with_runs: tuple[int, ...] = ()


_OF_PROMPT = "FROM llm_call WHERE judge = ? AND model = ? AND host = ? AND prompt_sha256 = ?"
_PROMPT_SUMS = f"""SELECT count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0), sum(cost),
    coalesce(sum(cost IS NULL AND tries > 0), 0) {_OF_PROMPT}"""
_PROMPT_LATENCIES = f"SELECT latency_ms {_OF_PROMPT} AND status = 'ok' AND rung <> '' ORDER BY latency_ms"


def prompt_cost(
    connection: sqlite3.Connection, judge: str, model: str, host: str, prompt_sha256: str, with_runs: Iterable[int] = ()
) -> PromptCost:
    """Cost and latency of the questions with one prompt."""
    who = (judge, model, host, prompt_sha256)
    calls, read, written, cost, unpriced = connection.execute(_PROMPT_SUMS, who).fetchone()
    latencies = [int(row[0]) for row in connection.execute(_PROMPT_LATENCIES, who)]
    return PromptCost(
        calls, read, written, cost, unpriced, quantile(latencies, 0.5), quantile(latencies, 0.95), tuple(with_runs)
    )


def quantile(ordered: Sequence[int], share: float) -> int | None:
    """The smallest value that at least ``share`` of the sorted values do not exceed; ``None`` without values."""
    if not ordered:
        return None
    at = -(-len(ordered) * round(share * 1000) // 1000) - 1
    return ordered[max(0, at)]
