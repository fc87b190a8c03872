"""Every replay by the word of its command."""

from typing import Final

from medreview.replays.papers import cds, cliniqlink, medagentbrief, medfacteval, medhalu, sourcecheckup
from medreview.replays.replay import Replay

_EVERY: Final = (sourcecheckup, medhalu, cds, medfacteval, medagentbrief, cliniqlink)
REPLAYS: Final[dict[str, Replay]] = {one.REPLAY.name: one.REPLAY for one in _EVERY}
