"""What a settings file says on where texts and keys go, as it is told before the file is trusted."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.config import read_file
from medreview.llm.settings import TABLES, as_told, told_of
from medreview.redaction import MARK

_PASSWORD: Final = re.compile(r"(?<=:)[^:@/][^@/]*(?=@)")


@dataclass(frozen=True, slots=True)
class Guarded:
    """What one file says on where texts and keys go, a line each, and the whole text that says it."""

    lines: list[str]
    content: str


def read_guarded(path: Path) -> Guarded:
    """What a settings file says on where texts and keys go; raises :class:`UserError` as :func:`load_config` does."""
    file = read_file(path)
    told = file.values
    lines = []
    for role, table in TABLES.items():
        for judge in told.get(table, {}).values():
            key = f"the key in {judge.api_key_env}" if judge.api_key_env else "no key"
            lines.append(f"  {role} {told_of(judge)}, {key}")
    lines += (f"  service {name}: {as_told(address)}" for name, address in told.get("services", {}).items())
    if proxy := told.get("proxy"):
        lines.append(f"  proxy: {as_told(without_password(proxy))}")
    if prompts := told.get("prompts"):
        lines.append(f"  prompts: {as_told(prompts)}")
    references = told.get("references", {})
    lines += (f"  library of references: {as_told(name)}" for name in references.get("library", ()))
    if references.get("online"):
        lines.append("  references are looked up at the services")
    semantic = told.get("semantic", {})
    if encoder := semantic.get("encoder"):
        named = f" of the model {as_told(semantic['model'])}" if semantic.get("model") else ""
        lines.append(f"  model of meaning: {encoder}{named}")
    return Guarded(lines, file.content)


def without_password(address: str) -> str:
    """An address as it may be shown."""
    return _PASSWORD.sub(MARK, address)
