"""The command ``prompts``: what judges are asked."""

from typing import Annotated

import typer

from medreview.cli.options import Json
from medreview.cli.output import result
from medreview.cli.trusting import with_settings
from medreview.errors import UserError
from medreview.next_step import command


def prompts(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A task; without it, all are listed.")] = None,
    whole: Annotated[
        bool, typer.Option("--file", help="The whole file that comes with the program, to make your own of it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what judges are asked, to put the same question to a model elsewhere and import its answers.

    Example: medreview prompts source_verification
    """
    from medreview.configured import prompts_of
    from medreview.judges.prompts import load_prompt, prompt_file, prompt_names

    if whole:
        if name is None:
            raise UserError(f"--file is for one task: {command('prompts', 'source_verification', '--file')}")
        print(prompt_file(name), end="")
        return
    folder = with_settings(prompts_of)
    if name is None:
        known = [load_prompt(task, folder) for task in prompt_names()]
        listed = {prompt.id: prompt.sha256 for prompt in known}
        result(listed, *(f"{key}  sha256 {value[:12]}" for key, value in listed.items()), as_json=as_json)
        return
    prompt = load_prompt(name, folder)
    result(prompt, *prompt.text.split("\n"), as_json=as_json)
