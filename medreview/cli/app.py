"""The commands as one Typer application."""

from typing import Annotated

import typer

from medreview.cli import citations, diff, evidence, facts, fetch, figures, files, judges, jury, prepare, review, urls

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


for part in (review, prepare, fetch, diff, judges, jury, facts, figures, urls, files, evidence, citations):
    part.register(app)
