"""The labels of judges as they write them, mapped to the levels of the evidence axis."""

import re
from collections.abc import Mapping
from typing import Final

LABELS: Final[Mapping[str, tuple[str | None, bool | None]]] = {
    "supported": ("supported", True),
    "support": ("supported", True),
    "supports": ("supported", True),
    "found": ("supported", True),
    "yes": ("supported", True),
    "entailment": ("supported", True),
    "entailed": ("supported", True),
    "true": ("supported", True),
    "1": ("supported", True),
    "1.0": ("supported", True),
    "partial": ("partial", False),
    "partially supported": ("partial", False),
    "contradicted": ("contradicted", False),
    "contradiction": ("contradicted", False),
    "contradict": ("contradicted", False),
    "refuted": ("contradicted", False),
    "refutes": ("contradicted", False),
    "not addressed": ("not_addressed", False),
    "neutral": ("not_addressed", False),
    "not enough information": ("not_addressed", False),
    "nei": ("not_addressed", False),
    "not found": (None, False),
    "not supported": (None, False),
    "unsupported": (None, False),
    "no": (None, False),
    "false": (None, False),
    "0": (None, False),
    "0.0": (None, False),
    "cannot judge": ("cannot_judge", None),
    "unsure": (None, None),
    "unknown": (None, None),
    "abstain": (None, None),
}
"""Normalised raw label -> (verdict, supported).

"Not found", "no" and 0 include what is only partly supported (SourceCheckup, RAGAS), so they map to no verdict.
"""


def normalised(label: str) -> str:
    """A raw label for comparison: in lower case, with underscores and hyphens as spaces."""
    return re.sub(r"[\s_-]+", " ", label).strip().lower()


def mapped(label: str) -> tuple[str | None, bool | None] | None:
    """Verdict and supported of a raw label; ``None`` for an unknown label."""
    return LABELS.get(normalised(label))
