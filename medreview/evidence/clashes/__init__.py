"""Clashes: contradictions between a statement and a passage of a source, with the span of each in its text.

The rules favour precision over recall: a false alarm costs the reviewer's trust. Each requires that the two sentences
share much of their content, and that the two spans are about the same thing. ``families`` lists them; related
families share a file.
"""

from medreview.evidence.clashes.amounts import agrees, comparable
from medreview.evidence.clashes.clash import Clash, ClashKind
from medreview.evidence.clashes.families import clashes, clashes_between

__all__ = ["Clash", "ClashKind", "agrees", "clashes", "clashes_between", "comparable"]
