"""Every kind of unit by name. A new kind is a module and an entry here."""

from typing import Final

from medreview.units.kind import UnitKind
from medreview.units.unit_format import UnitFormat
from medreview.units.whole_response import WholeResponse

KINDS: Final[dict[str, UnitKind]] = {kind.name: kind for kind in (WholeResponse(),)}
"""In the order of the first screen; the statement, which has its own queues, stands before them."""

FORMATS: Final[tuple[UnitFormat, ...]] = tuple(kind.form for kind in KINDS.values() if kind.form is not None)
"""Every format of a file of units."""
