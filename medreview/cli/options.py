"""Arguments and options that many commands share."""

from pathlib import Path
from typing import Annotated

import typer

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY", help="The study file.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
"""Every command with a result can print it for a script."""
