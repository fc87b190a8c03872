"""The pages say what is true now: links lead somewhere, tables have every level, settings are read."""

import copy
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Final

import pytest

from medreview.config import SETTINGS, Config, load_config
from medreview.exchange.exports.export import FILES
from medreview.judges.tasks.registry import NAMES
from medreview.labels import QUOTE_STATUSES
from medreview.llm.settings import SETTINGS as JUDGE
from medreview.llm.settings import JudgeSettings
from medreview.review.queue_filters import filters_of
from medreview.review.queue_kinds import KINDS
from medreview.sources.reach import MEANING
from medreview.study.own_axes import parse
from medreview.units import registry
from tests.support.commands import Program
from tests.tools import settings_tables
from tests.tools.glossary_page import PAGE as GLOSSARY
from tests.tools.glossary_page import glossary_page
from tests.tools.keys_page import PAGES as KEYS
from tests.tools.producers_page import PAGE as PRODUCERS
from tests.tools.producers_page import producers_page
from tests.tools.replays_page import PAGE, replays_page
from tests.tools.stats_schema import PLACE, lost, made
from tests.tools.units_files_page import PAGE as UNITS_FILES
from tests.tools.units_files_page import units_files_page

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "sample_data" / "README.md"])
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^()\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


MADE: Final = {
    **KEYS,
    GLOSSARY: glossary_page,
    PAGE: replays_page,
    PRODUCERS: producers_page,
    UNITS_FILES: units_files_page,
}
"""By page that a tool writes: what makes its text."""


def page(name: str) -> str:
    """The text of the one page of this name, in whichever part of the documentation it stands."""
    (path,) = [path for path in PAGES if path.name == name and path.is_relative_to(ROOT / "docs")]
    return path.read_text(encoding="utf-8")


def written(name: str) -> str:
    """The file that a page writes by a here-document."""
    (text,) = re.findall(r"<<'END'\n(.*?)^END$", page(name), re.MULTILINE | re.DOTALL)
    return str(text)


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, by the rule of the sites that show Markdown."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", _FENCED.sub("", text), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in _LINK.findall(_FENCED.sub("", text)):
        if target.startswith(("https://", "http://")):
            continue
        name, _, anchor = target.partition("#")
        leads_to = (path.parent / name).resolve() if name else path
        assert leads_to.exists(), f"{target} leads nowhere"
        if anchor:
            assert anchor in anchors(leads_to.read_text(encoding="utf-8")), f"{target} has no such heading"


def test_every_page_is_in_the_index() -> None:
    listed = set(_LINK.findall(page("README.md")))
    docs = ROOT / "docs"
    assert {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")} - {"README.md"} <= listed


@pytest.mark.parametrize(("path", "made"), MADE.items(), ids=lambda it: getattr(it, "name", ""))
def test_a_page_that_is_made_from_the_program_is_what_it_would_be_now(path: Path, made: Callable[[], str]) -> None:
    assert path.read_text(encoding="utf-8") == made(), f"make it again: python -m {made.__module__}"


def test_every_filter_of_statements_is_described() -> None:
    text = page("reviewing.md")
    assert [name for name in filters_of(KINDS[0]) if f"`{name}=" not in text] == []


OF_KINDS = {table.file for kind in registry.KINDS.values() for table in kind.tables}
"""Files that keys-and-labels.md names, each with its kind."""


SINGLE = ("labels_by_reviewer.csv", "value_labels.csv", "codebook.csv", "annotations.jsonld", "manifest.json")
"""Files of an export that are made for the study or are no tables."""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("evidence.md", QUOTE_STATUSES),
        ("judges.md", NAMES),
        ("export-files.md", [*(name for name in FILES if name not in OF_KINDS), *SINGLE]),
    ],
    ids=["quote statuses", "tasks", "files of an export"],
)
def test_a_table_has_every(name: str, words: list[str]) -> None:
    cells = {
        word for row in page(name).splitlines() if row.startswith("| `") for word in row.split(" | ")[0].split("`")
    }
    assert set(words) <= cells


@pytest.mark.parametrize("name", settings_tables.PAGES)
def test_the_tables_of_settings_are_those_of_the_program(name: str) -> None:
    now = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert now == settings_tables.filled(name), "write them anew: python -m tests.tools.settings_tables"


def test_every_field_of_the_settings_is_a_setting_but_for_what_is_found_out() -> None:
    assert {item.name for item in fields(Config)} - {*SETTINGS} == {"untrusted", "origins"}
    assert {item.name for item in fields(JudgeSettings)} - {*JUDGE} == {"name", "settings_file", "role", "recorded"}


def test_what_became_of_a_source_is_worded_as_in_the_report() -> None:
    lines = page("citations.md").splitlines()
    assert all(f"| `{state}` | {meaning} |" in lines for state, meaning in MEANING.items())


def test_the_settings_that_are_shown_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    of_settings = re.compile(r"^```toml\n(?!(?:# .*\n)?\[(?:synonyms\]|\[axis\]))(.*?)^```", re.M | re.S)
    blocks = [block for path in PAGES for block in of_settings.findall(path.read_text(encoding="utf-8"))]
    assert len(blocks) >= 2
    for block in blocks:
        (tmp_path / "medreview.toml").write_text(block)
        config = load_config()
        assert config.judges or config.contact or config.references or config.semantic
        assert all(judge.is_local != bool(judge.api_key_env) for judge in config.judges.values())


def test_the_axes_that_are_shown_are_read_() -> None:
    text = page("axes.md")
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (axis,) = parse(block, kinds=["statement", *registry.KINDS])
    assert (axis.axis, axis.ordered, [level.key for level in axis.levels]) == ("own.readability", True, ["1", "2"])
    assert all(f"`{kind}`" in text for kind in ("statement", *registry.KINDS))


def test_the_synonyms_that_are_shown_are_read(tmp_path: Path) -> None:
    from medreview.evidence.terms import vocabulary

    found = re.search(r"```toml\n(\[synonyms\].*?)```", page("evidence.md"), re.DOTALL)
    assert found
    (tmp_path / "own.toml").write_text(found[1])
    one, same, other = (set(vocabulary(tmp_path / "own.toml").keys(it)) for it in ("tacrolimus", "FK506", "metformin"))
    assert one & same
    assert not one & other


def test_the_page_names_every_key_of_the_json(tmp_path: Path) -> None:
    told = json.loads(Program(tmp_path)("papers", "replay", "cds", "s.medreview", "--sample", "--json").stdout)
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", text.partition("## As JSON")[2].partition("\n## ")[0]))
    assert named >= {*told, *told["steps"][0], *told["figures"][0]}


def test_the_published_schema_is_that_of_the_program():
    published, now = json.loads(PLACE.read_text()), made()

    assert list(lost(published, now)) == [], "a field is gone: another number in figure_document.SCHEMA"
    assert list(lost(now, published)) == [], "python -m tests.tools.stats_schema"
    assert published["$id"] == now["$id"] == published["properties"]["schema"]["const"]


def test_a_field_that_is_renamed_or_has_another_type_is_named():
    published, renamed, retyped = json.loads(PLACE.read_text()), made(), made()
    fields = renamed["$defs"]["Estimate"]["properties"]
    fields["clustered"] = fields.pop("clusters")
    assert "/$defs/Estimate/properties/clusters" in list(lost(published, renamed))
    retyped["$defs"]["Estimate"]["properties"]["n"] = {"type": "string"}
    assert list(lost(published, retyped)) == ["/$defs/Estimate/properties/n/type"]


def test_what_comes_in_addition_is_no_loss():
    published, more = json.loads(PLACE.read_text()), made()
    more = copy.deepcopy(more)
    more["$defs"]["Estimate"]["properties"]["colour"] = {"type": "string"}
    more["$defs"]["Estimate"]["required"].append("colour")
    assert list(lost(published, more)) == []


def test_every_class_of_the_schema_is_described():
    for name, held in made()["$defs"].items():
        assert held.get("description") or held["type"] != "object", name
