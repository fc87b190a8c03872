"""The options that all commands of ``medreview generate`` have, once: each command states only its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from medreview.cli.options import Json

Command = Callable[..., None]

_Model = Annotated[str, typer.Option("--model", metavar="NAME", help="The model of the settings that writes.")]
_Verifier = Annotated[str, typer.Option("--judge", metavar="NAME", help="The model that verifies what was written.")]
_Limit = Annotated[int | None, typer.Option(min=1, help="At most so many inputs now.")]
_Again = Annotated[bool, typer.Option("--again", help="Also inputs of which nothing was made before.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be asked and cost; ask nothing.")]
LocalOnly = Annotated[bool, typer.Option("--local-only", help="Refuse models outside this machine.")]
_BatchOutFile = Annotated[
    Path | None, typer.Option("--batch-out", metavar="FILE", help="Write the next questions to FILE, to run elsewhere.")
]
_BatchInFiles = Annotated[
    list[Path] | None, typer.Option("--batch-in", metavar="FILE", help="Take results back; may be repeated.")
]
_BatchSubmit = Annotated[
    bool, typer.Option("--batch-submit", help="Run it as a batch at the model's server, or go on with one there.")
]
_NoWait = Annotated[
    bool, typer.Option("--no-wait", help="With --batch-submit: do not wait; the same command collects it.")
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options that all generators have say.

    ``verified``: what is written goes to a judge; without a name that is the first one of the settings that is another
    model than the one that writes.
    """

    model: str
    judge: str = ""
    limit: int | None = None
    again: bool = False
    dry_run: bool = False
    local_only: bool = False
    batch_out: Path | None = None
    batch_in: Sequence[Path] = ()
    as_json: bool = False
    batch_submit: bool = False
    no_wait: bool = False
    verified: bool = False


def generator_command(*, verifies: bool = False) -> Callable[[Command], Command]:
    """Gives a command the options that all generators have, in place of its parameter ``wanted``.

    ``verifies``: it has ``--judge`` as well, the model that verifies what was written.
    """
    shared = [one for one in signature(_wanted).parameters.values() if verifies or one.name != "judge"]

    def of(command: Command) -> Command:
        own = [one for one in signature(command).parameters.values() if one.name != "wanted"]

        @wraps(command)
        def called(**given: Any) -> None:
            wanted = _wanted(**{one.name: given.pop(one.name) for one in shared})
            command(**given, wanted=wanted)

        called.__signature__ = Signature([*own, *shared])  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in (*own, *shared)}
        return called

    return of


def _wanted(
    model: _Model = "",
    judge: _Verifier = "",
    limit: _Limit = None,
    again: _Again = False,
    dry_run: DryRun = False,
    local_only: LocalOnly = False,
    batch_out: _BatchOutFile = None,
    batch_in: _BatchInFiles = None,
    batch_submit: _BatchSubmit = False,
    no_wait: _NoWait = False,
    as_json: Json = False,
) -> Wanted:
    return Wanted(
        model, judge, limit, again, dry_run, local_only, batch_out, batch_in or (), as_json, batch_submit, no_wait
    )
