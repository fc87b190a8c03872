"""Write the tables of settings in docs/ from the one table in the program.

    python -m tests.tools.settings_tables

A test compares the pages with what this makes.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from medreview.config import ENVIRONMENT, SETTINGS
from medreview.llm.settings import SETTINGS as JUDGE
from medreview.setting import Setting

DOCS: Final = Path(__file__).parents[2] / "docs"
PAGES: Final = {"reference/settings.md": ("settings", "judge", "environment")}
"""The page, and the tables in it."""


def filled(page: str) -> str:
    """A page with its tables as they must be; each stands between two comments with its name."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for name in PAGES[page]:
        rows = "\n".join(_TABLES[name]())
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        text, found = re.subn(f"{begin}\n.*?{end}", lambda _, new=f"{begin}\n{rows}\n{end}": new, text, flags=re.DOTALL)
        assert found == 1, f"{page} has no place for the table {name}"
    return text


def _settings() -> Iterator[str]:
    yield "| setting | value | default | what it does |"
    yield "| --- | --- | --- | --- |"
    yield from (_row(setting) for setting in SETTINGS.values())


def _judge() -> Iterator[str]:
    yield "| field | value | default | what it is |"
    yield "| --- | --- | --- | --- |"
    yield from (_row(setting) for setting in JUDGE.values())


def _environment() -> Iterator[str]:
    yield "| environment variable | what it does |"
    yield "| --- | --- |"
    yield from (f"| `{name}` | {help} |" for name, help in ENVIRONMENT.items())
    yield "| what a judge's `api_key_env` names | The key of that judge. |"


def _row(setting: Setting) -> str:
    told = " ".join(filter(None, (setting.help, setting.more)))
    more = f" ([more]({setting.page}))" if setting.page else ""
    trust = " Needs [trust](#trust)." if setting.guarded else ""
    return f"| `{setting.name}` | {setting.allowed} | {setting.when_unset} | {told}{more}{trust} |"


_TABLES: Final = {"settings": _settings, "judge": _judge, "environment": _environment}

if __name__ == "__main__":
    for page in PAGES:
        made = filled(page)
        (DOCS / page).write_text(made, encoding="utf-8")
