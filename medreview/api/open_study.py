"""Opening a study: the way in to everything that Python can do with one."""

from __future__ import annotations

from pathlib import Path

from medreview.api.deciding import Deciding
from medreview.api.figures import Figures
from medreview.api.opened import Place
from medreview.api.preparing import Preparing
from medreview.api.reading import Reading
from medreview.progress import SILENT, Progress
from medreview.study import Study


class OpenStudy(Figures, Deciding, Reading, Preparing):
    """A study file that is open; a context manager that closes it. ``open_study`` and its siblings make it.

    Methods that change the study return after the commit and raise ``UserError`` for one that is open for reading
    only. It is for the thread that opened it. It may be used where an event loop runs, as in a notebook.
    """


def create_study(
    path: Place, title: str = "", *, settings: Place | None = None, progress: Progress = SILENT
) -> OpenStudy:
    """Make a new, empty study and open it for writing; without a ``title`` it is called as its file is.

    Raises ``UserError`` when something is there already, or the place cannot be written.
    """
    return OpenStudy(Study.create(Path(path), title), settings=settings, progress=progress)


def open_study(
    path: Place, *, read_only: bool = False, settings: Place | None = None, progress: Progress = SILENT
) -> OpenStudy:
    """Open a study; one that an earlier version made is brought up to date, unless ``read_only``.

    Only one may write at a time; any number may read meanwhile. ``settings`` is a settings file in place of the one
    that commands find (``medreview.toml`` here, else the user's). ``progress`` is told how far long work is. Raises
    ``UserError`` when it is missing, no study, damaged, newer than this program, or open for writing already.
    """
    return OpenStudy(Study.open(Path(path), read_only=read_only), settings=settings, progress=progress)


def create_demo(path: Place, *, progress: Progress = SILENT) -> OpenStudy:
    """Make the sample study of ``medreview demo`` and open it for writing: sixteen answers, no network.

    Raises ``UserError`` when something is there already, or the place cannot be written.
    """
    from medreview.demo import make_demo

    return OpenStudy(make_demo(Path(path), progress), progress=progress)
