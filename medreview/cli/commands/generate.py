"""The commands ``generate ...``: let a model write what is reviewed then."""

import typer

from medreview.cli.generate.answers import answers
from medreview.cli.generate.brief import brief
from medreview.cli.generate.cleanup import cleanup
from medreview.cli.generate.hallucinations import hallucinations
from medreview.cli.generate.key_facts import key_facts
from medreview.cli.generate.override_themes import override_themes
from medreview.cli.generate.passages import passages
from medreview.cli.generate.qa import qa
from medreview.cli.generate.questions import questions
from medreview.cli.generate.themes import themes

_COMMANDS = (
    questions,
    answers,
    cleanup,
    hallucinations,
    passages,
    qa,
    key_facts,
    themes,
    override_themes,
    brief,
)  # fmt: skip

generate = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Let a model write questions, answers, items, briefs, to be reviewed. Nothing is asked or paid twice.\n\n"
    "Example: medreview generate questions sepsis.medreview --model writer",
)
for command in _COMMANDS:
    generate.command(command.__name__.replace("_", "-"))(command)
