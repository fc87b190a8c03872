"""The command line: one Typer application, one sentence for every error."""

import os
import sys
from typing import Annotated, Final

import typer

from medreview.cli import evidence, facts, figures, files, judges, jury, prepare, review
from medreview.cli.output import say
from medreview.errors import UserError

_INTERRUPTED: Final = 130
"""The exit code with which Typer answers Ctrl-C."""

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Check what a language model says about medicine against the sources it cites.\n\n"
    "Start with `medreview demo`, or with `medreview run STUDY FILE` on your own answers.",
)


def _version(wanted: bool) -> None:
    if wanted:
        import medreview

        print(f"medreview {medreview.__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")]


@app.callback()
def _options(version: Version = False) -> None:
    pass


for part in (prepare, judges, review, figures, files, evidence, jury, facts):
    part.register(app)


def main() -> None:
    """Run a command. A mistake the user can mend is one sentence on standard error and exit code 2."""
    try:
        try:
            app()
        finally:
            if sys.stdout:
                sys.stdout.flush()
    except UserError as error:
        say(f"medreview: {error}")
        raise SystemExit(2) from None
    except SystemExit as ended:
        if ended.code == _INTERRUPTED:  # what Typer makes of Ctrl-C
            say("medreview: stopped; what was done is saved, the same command goes on from there.")
        raise
    except BrokenPipeError:
        # The reader of our output went away (`medreview ... | head`): no error.
        _drop_output()
        raise SystemExit(141) from None
    except OSError as error:
        _drop_output()
        say(f"medreview: the result could not be written ({error.strerror or error}).")
        raise SystemExit(2) from None


def _drop_output() -> None:
    """What is left in the buffer has nowhere to go; Python would try once more at the end, and complain."""
    if sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
