"""What a server says of a batch, checked: its state in one set of words, its ids, its counts.

The endpoints are OpenAI's; other servers and proxies (LiteLLM, the router of vLLM) have them with differences: other
words for a state, empty texts for ids, no metadata, errors of other shapes. What tells nothing raises
:class:`BatchError`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from medreview.redaction import redact
from medreview.storable import storable_text

METADATA: Final = "medreview_job"
"""The name in a batch's metadata under which our id of the job stands."""
STATES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("validating", "pending", "queued", "created", "submitted", "not_started"), "validating"),
    **dict.fromkeys(("in_progress", "running", "processing", "started"), "in_progress"),
    "finalizing": "finalizing",
    "cancelling": "cancelling",
    "canceling": "cancelling",
    **dict.fromkeys(("completed", "succeeded", "success", "ended"), "completed"),
    **dict.fromkeys(("failed", "error"), "failed"),
    "expired": "expired",
    **dict.fromkeys(("cancelled", "canceled"), "cancelled"),
}
"""Words for the state of a batch, in lower case with ``_``: those of OpenAI's API, and of others for the same."""
OVER: Final = frozenset({"completed", "failed", "expired", "cancelled"})
"""States in which nothing more comes."""

_ABSENT: Final = frozenset({404, 405, 410, 501})
_MOST_REQUESTS: Final = 1_000_000_000
_LONGEST_ID: Final = 4000
_ID: Final = re.compile(r"[\x21-\x7e]+")


class BatchError(Exception):
    """What was asked for was not done, or cannot be known to be; the message is a sentence, without keys.

    ``absent``: the server says that there is no such thing. ``unsure``: it may have been done all the same.
    ``status``: of HTTP, 0 without an answer.
    """

    def __init__(self, sentence: str, *, status: int = 0, unsure: bool = False) -> None:
        super().__init__(storable_text(redact(sentence)))
        self.status, self.unsure = status, unsure

    @property
    def absent(self) -> bool:
        """Whether the server says that it has no such thing."""
        return self.status in _ABSENT


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as the server tells of it; ``state`` is a value of :data:`STATES`.

    Ids are ``""`` and counts ``None`` where it gives none. ``job``: our id, from the metadata. ``problem``: why it
    failed, as the server says, or ``""``.
    """

    batch_id: str
    state: str
    input_file_id: str
    output_file_id: str
    error_file_id: str
    job: str
    completed: int | None
    failed: int | None
    problem: str

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self.state in OVER


def batch_of(told: Mapping[str, Any]) -> Batch:
    """The batch that a server tells of. Raises :class:`BatchError`."""
    word = told.get("status")
    state = STATES.get(re.sub(r"[\s-]+", "_", word.strip().lower())) if isinstance(word, str) else None
    batch_id = id_of(told, "id", "the batch")
    if state is None:
        shown = repr(word[:40]) if isinstance(word, str) else "no word"
        raise BatchError(f"The server's word for the state of a batch is {shown}, which medreview does not know.")
    metadata, counts = told.get("metadata"), told.get("request_counts")
    return Batch(
        batch_id=batch_id,
        state=state,
        input_file_id=id_of(told, "input_file_id", "the batch", optional=True),
        output_file_id=id_of(told, "output_file_id", "the batch", optional=True),
        error_file_id=id_of(told, "error_file_id", "the batch", optional=True),
        job=str(metadata.get(METADATA, ""))[:200] if isinstance(metadata, dict) else "",
        completed=_count(counts, "completed"),
        failed=_count(counts, "failed"),
        problem=_problem(told.get("errors")),
    )


def id_of(told: Mapping[str, Any], name: str, of: str, *, optional: bool = False) -> str:
    """An id; raises :class:`BatchError` for what is none, and for none where there must be one."""
    value = told.get(name)
    if optional and not value:
        return ""
    if isinstance(value, str) and len(value) <= _LONGEST_ID and _ID.fullmatch(value):
        return value
    raise BatchError(f"The server gave no usable id: `{name}` of {of}.", unsure=True)


def _count(counts: Any, name: str) -> int | None:
    value = counts.get(name) if isinstance(counts, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_REQUESTS else None


def _problem(errors: Any) -> str:
    """Why a batch failed: the messages of its first errors, whichever shape they have."""
    found = errors.get("data") or errors.get("message") if isinstance(errors, dict) else errors
    items = found if isinstance(found, list) else [found]
    texts = [it.get("message") or it.get("code") if isinstance(it, dict) else it for it in items[:3]]
    told = "; ".join(" ".join(text.split())[:300] for text in texts if isinstance(text, str) and text.strip())
    return storable_text(redact(told))
