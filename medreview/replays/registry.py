"""Every replay by the word of its command."""

from typing import Final

from medreview.replays.papers import cds, cliniqlink, medhalu, sourcecheckup
from medreview.replays.replay import Replay

REPLAYS: Final[dict[str, Replay]] = {one.REPLAY.name: one.REPLAY for one in (sourcecheckup, medhalu, cds, cliniqlink)}
