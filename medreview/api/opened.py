"""A study file that is open, with its settings and whoever is told of progress: what every part of the API works on."""

from __future__ import annotations

import warnings
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Self

from medreview.progress import SILENT, Progress
from medreview.study import Study

if TYPE_CHECKING:
    from medreview.config import Config
    from medreview.review.looks import Shown

Place = str | PathLike[str]


class Opened:
    """The file, its name and its closing."""

    def __init__(self, study: Study, *, settings: Place | None = None, progress: Progress = SILENT) -> None:
        self._study = study
        self._settings = None if settings is None else Path(settings)
        self._progress = progress
        self._noted: set[Shown] = set()

    def __enter__(self) -> Self:
        """The open study."""
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close it; what SQLite says of a damaged file becomes a ``UserError``."""
        self._study.__exit__(kind, error, trace)

    def __repr__(self) -> str:
        """Its title, its file, and whether it can be written."""
        return f"<OpenStudy {self.title!r} at {self.path}{'' if self.writable else ', read only'}>"

    @property
    def path(self) -> Path:
        """The study file."""
        return self._study.path

    @property
    def title(self) -> str:
        """What the study is called."""
        return self._study.meta("title")

    @property
    def study_id(self) -> str:
        """The id that all copies of the study share."""
        return self._study.meta("study_id")

    @property
    def writable(self) -> bool:
        """Whether this one may write."""
        return self._study.writable

    def close(self) -> None:
        """Finish what is being written and let others write. A ``with`` block does it."""
        self._study.close()

    def _looked(self, what: str, shown: Shown) -> None:
        """Note in the study that its reader sees what the judges say; warn where it cannot be noted."""
        from medreview.review.looks import note_look

        if shown in self._noted:
            return
        self._noted.add(shown)
        for reviewer in self._reading():
            if sentence := note_look(self._study, reviewer, what, shown):
                warnings.warn(sentence, stacklevel=3)

    def _reading(self) -> tuple[str, ...]:
        """Who reads what the script is given, as far as it is known."""
        from medreview.review.looks import readers

        config = self._config()
        return readers(self._study, config.reviewer, is_set="reviewer" in config.origins)

    def _config(self) -> Config:
        """The settings, read when they are needed."""
        from medreview.config import load_config

        return load_config(self._settings)
