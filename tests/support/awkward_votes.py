"""What is right on the awkward study (``awkward_study``), worked out by hand: nothing of this is computed."""

from collections.abc import Mapping
from typing import NamedTuple

from medreview.labels import TIE_RULES, TieRule

Words = Mapping[str, str | None]


class Right(NamedTuple):
    """What is right for a statement: each judge's word over its sources (None: it abstains), and what becomes of it.

    ``votes``: judges with the verdict and with another. ``badges``: those that come from votes. ``sources``: by each
    cited page, whether the judges find support in it. A tie is given as it is with each rule (``TIE_RULES``).
    """

    words: Words
    votes: tuple[int, int]
    verdict: str | tuple[str | None, ...] | None
    sources: tuple[bool | tuple[bool | None, ...] | None, ...]
    abstained: int = 0
    tied: bool = False
    badges: frozenset[str] = frozenset()

    def by(self, tie: TieRule) -> str | None:
        """The verdict."""
        return self.verdict[TIE_RULES.index(tie)] if isinstance(self.verdict, tuple) else self.verdict

    def sources_by(self, tie: TieRule) -> list[bool | None]:
        place = TIE_RULES.index(tie)
        return [source[place] if isinstance(source, tuple) else source for source in self.sources]


RIGHT = {
    "asked_again": Right(
        {"amber": "contradicted", "basalt": "supported"}, (1, 1), (None, "supported", "contradicted"),
        ((None, True, False),), tied=True, badges=frozenset({"jury 1-1"}),
    ),
    "beside_offline": Right(
        {"amber": "not_addressed", "basalt": None}, (1, 0), "not_addressed", (False,), abstained=1,
    ),
    "page_changed": Right({"amber": "partial"}, (1, 0), "partial", (False,), badges=frozenset({"page changed"})),
    "same_text": Right({"amber": "supported", "basalt": "supported"}, (2, 0), "supported", (True,)),
    "unproven": Right(
        {"amber": None, "basalt": "partial"}, (1, 0), "partial", (False,), abstained=1,
        badges=frozenset({"quote absent"}),
    ),
    "unanswered": Right({"amber": "supported", "basalt": "supported"}, (2, 0), "supported", (True,)),
    "two_sources": Right({"amber": "supported", "basalt": "supported"}, (2, 0), "supported", (True, False)),
    "imported": Right(
        {"amber": "supported", "basalt": "supported", "chalk": "contradicted"}, (2, 1), "supported", (True,),
        badges=frozenset({"jury 2-1"}),
    ),
    "together": Right({"amber": "not_addressed", "basalt": "not_addressed"}, (2, 0), "not_addressed", (False, False)),
    "offline_alone": Right({"offline": "supported"}, (1, 0), "supported", (True,)),
}  # fmt: skip
OF_VOTES = ("jury ", "quote ", "page changed")
GLYPHS = {"supported": "✓", "partial": "~", "contradicted": "✗", "not_addressed": "○", None: "-"}
MODELS = ("amber", "basalt", "chalk")
"""The judges of support but the offline one; onyx did other tasks only."""


def two_way(verdict: str | None) -> bool | None:
    return None if verdict is None else verdict == "supported"
