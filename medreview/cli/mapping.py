"""The option ``--map``: which column of a file is which field of a record."""

from collections.abc import Sequence
from typing import Annotated

import typer

from medreview.errors import UserError

Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="COLUMN=FIELD",
        help="Which column is which field (--map answer_text=response), or a field's text for all (--map judge:=NAME).",
    ),
]


def read_mapping(told: Sequence[str] | None) -> dict[str, str]:
    """The fields by their columns. Raises :class:`UserError` for anything but ``COLUMN=FIELD``."""
    mapping = {}
    for pair in told or []:
        column, separator, name = pair.partition("=")
        if not separator or not column or not name:
            raise UserError(f"--map wants COLUMN=FIELD, not {pair!r}.")
        mapping[column] = name
    return mapping
