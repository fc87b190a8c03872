"""How long work tells how far it is, without knowing who is watching."""

from typing import Final, Protocol


class Progress(Protocol):
    """Receives a stage's progress; shown by the command line, ignored in tests and pipes."""

    def begin(self, title: str, total: int) -> None:
        """A piece of work of ``total`` steps starts."""

    def step(self, count: int = 1) -> None:
        """``count`` more steps are done and saved."""


class _Silent:
    def begin(self, title: str, total: int) -> None:
        pass

    def step(self, count: int = 1) -> None:
        pass


SILENT: Final[Progress] = _Silent()
