"""All that commands load when they come to it, for a process from which others are forked: each finds it there."""

from importlib import import_module
from pkgutil import walk_packages
from typing import Final

import medreview

_OF_OTHERS: Final = ("matplotlib.backends.backend_svg", "rich.table", "scipy.special")
_NO_COMMANDS: Final = ("medreview.screens", "medreview.__main__")

for _found in walk_packages(medreview.__path__, "medreview."):
    if not _found.name.startswith(_NO_COMMANDS):
        import_module(_found.name)
for _name in _OF_OTHERS:
    import_module(_name)
