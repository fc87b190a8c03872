"""The command ``trust``: let a settings file say where texts and keys go."""

from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.options import Json
from medreview.cli.output import result
from medreview.cli.trusting import ask_for_trust
from medreview.errors import UserError
from medreview.next_step import command


def trust(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The settings; default: medreview.toml here.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: for a script whose writer read it.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Trust it no longer.")] = False,
    as_json: Json = False,
) -> None:
    """Let a settings file name judges, services, a proxy or prompts: it is shown, and used once you say yes.

    These say which key goes to which host. A file in a folder that came from somebody else is not used in that until
    it was trusted, nor after it was changed; the one in your own configuration folder needs no trust.

    Example: medreview trust medreview.toml
    """
    from medreview.guarded_settings import read_guarded
    from medreview.settings_files import distrust
    from medreview.settings_files import trust as keep
    from medreview.settings_places import FILE_NAME

    file = file or Path(FILE_NAME)
    if forget:
        known = distrust(file)
        sentence = f"{file} is trusted no longer." if known else f"{file} was not trusted."
        result({"file": str(file.resolve()), "trusted": False}, sentence, as_json=as_json)
        return
    guarded = read_guarded(file)
    told = {"file": str(file.resolve()), "trusted": True, "settings": guarded.lines}
    if not guarded.lines:
        result(told | {"trusted": False}, f"{file} names no judge, service, proxy or prompts: it needs no trust.",
               as_json=as_json)  # fmt: skip
        return
    if yes:
        keep(file, guarded.content)
    elif not ask_for_trust(file):
        raise UserError(
            f"{file} is not trusted; nothing was changed. In a script, once you have read it: "
            f"{command('trust', file, '--yes')}"
        )
    result(told, f"{file} is trusted as it is now:", *guarded.lines, as_json=as_json)
