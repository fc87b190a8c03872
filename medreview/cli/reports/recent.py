"""The studies that were opened last, as lines of 80 columns."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from medreview.cli.output import counted, one_line
from medreview.review.layout.cells import fit, width

if TYPE_CHECKING:
    from medreview.recent_studies import RecentStudy

WIDTH: Final = 80
_INDENT: Final = "    "


def study_lines(number: int, study: "RecentStudy") -> Iterator[str]:
    """One study: number and title and when; its path; what is open in it, or what is wrong."""
    when = _when(study.opened_at)
    title = one_line(study.title) or study.path.stem
    yield f"{number:>2}  {_cut(title, WIDTH - len(when) - 6, pad=True)}  {when}"
    yield _INDENT + _path(study.path)
    if study.remark:
        yield _INDENT + _cut(f"{study.state.upper()}: {one_line(study.remark)}", WIDTH - 4)
    counts = study.counts
    place = f"; left off: {one_line(study.left_off)}" if study.left_off else ""
    if counts is not None and (counts.total or not study.units):
        deferred = f", {counts.deferred:,} deferred" if counts.deferred else ""
        head = f"{counts.decided:,} of {counts.total:,} decided{deferred}, {counts.open:,} open"
        yield _INDENT + _cut(head + place, WIDTH - 4)
        place = ""
    for unit in study.units:
        head = f"{unit.title}: {unit.counts.decided:,} of {unit.counts.total:,} decided, {unit.counts.open:,} open"
        yield _INDENT + _cut(head + place, WIDTH - 4)
        place = ""
    if study.drafts:
        yield f"{_INDENT}{counted(study.drafts, 'note')} begun and not saved"


def as_told(study: "RecentStudy") -> dict[str, Any]:
    """The same for a script."""
    return {
        "path": str(study.path),
        "title": study.title,
        "opened_at": study.opened_at,
        "reviewer": study.reviewer,
        "state": study.state,
        "remark": study.remark,
        "counts": study.counts._asdict() if study.counts else None,
        "units": {unit.kind: unit.counts._asdict() for unit in study.units},
        "left_off": study.left_off,
        "drafts": study.drafts,
    }


def _when(opened_at: str) -> str:
    then, now = datetime.fromisoformat(opened_at).astimezone(), datetime.now().astimezone()
    if then.date() == now.date():
        return then.strftime("today %H:%M")
    return then.strftime("%d %b %H:%M" if then.year == now.year else "%d %b %Y")


def _path(path: Path) -> str:
    """The path below the home folder from ``~`` on; of a long one its end."""
    text = one_line(str(path))
    home = str(Path.home())
    if text.startswith(home + "/"):
        text = "~" + text.removeprefix(home)
    room = WIDTH - 4
    if width(text) <= room:
        return text
    while width(text) > room - 3:
        text = text[1:]
    return "..." + text


def _cut(text: str, room: int, pad: bool = False) -> str:
    return fit(text, room if pad else min(room, width(text)), "...")
