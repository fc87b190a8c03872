"""Reference lists as models print them: entries found, fields read, nothing found where nothing is cited."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from medreview.references.model import Reference
from medreview.references.printed.find import find_references

LISTS = Path(__file__).parent / "lists"
TEXTS = ("title", "container", "volume", "issue", "pages", "publisher", "edition", "url")
FOUND, READ = 0.97, 0.95


def answers() -> Iterator[dict[str, Any]]:
    for file in sorted(LISTS.glob("*.toml")):
        yield from tomllib.loads(file.read_text(encoding="utf-8"))["answer"]


def said(read: Reference) -> dict[str, Any]:
    """The fields of a reading in the form of the files; what is empty is left out."""
    names = [f"{author.family}*" if author.body else f"{author.family} {author.given}" for author in read.authors]
    fields = {
        "authors": "; ".join(name.replace(".", "").strip() for name in [*names, *(["+"] if read.et_al else [])]),
        "year": read.year,
        "number": read.number,
        "standing": read.standing,
        "kind": read.kind,
        "identifiers": [f"{identifier.kind}:{identifier.value}" for identifier in read.identifiers],
        **{name: " ".join(getattr(read, name).split()) for name in TEXTS},
    }
    return {name: value for name, value in fields.items() if value}


def wanted(want: dict[str, Any]) -> dict[str, Any]:
    fields = {"standing": "list", "kind": "article", **want}
    return {**fields, "authors": fields.get("authors", "").replace(".", "")} if "authors" in fields else fields


def likeness(want: dict[str, Any], have: dict[str, Any]) -> int:
    return sum(
        2 if name in ("title", "identifiers", "authors", "url") else 1 for name in want if want[name] == have.get(name)
    )


def paired(
    wants: list[dict[str, Any]], found: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Each wanted reference with what was found for it, in order; an entry is found if three of its marks agree."""
    rest, pairs = list(found), []
    for want in wants:
        best = max(rest, key=lambda have: likeness(want, have), default=None)
        if best is not None and likeness(want, best) < min(4, len(want) + 1):
            best = None
        if best is not None:
            rest.remove(best)
        pairs.append((want, best))
    return pairs


def test_entries_are_found_and_their_fields_read_in_answers_as_models_print_them():
    entries = hits = 0
    fields: Counter[str] = Counter()
    right: Counter[str] = Counter()
    misses: list[str] = []
    for answer in answers():
        text = answer["text"]
        found = [said(read) for read in find_references(text, answer.get("listed", ()))]
        wants = [wanted(want) for want in answer.get("want", [])]
        for want, have in paired(wants, found):
            entries += 1
            if have is None:
                misses.append(f"{answer['name']}: not found: {want.get('title') or want}")
                continue
            hits += 1
            for name in want.keys() | have.keys():
                fields[name] += 1
                right[name] += want.get(name) == have.get(name)
                if want.get(name) != have.get(name):
                    misses.append(f"{answer['name']}: {name} {have.get(name)!r}, wanted {want.get(name)!r}")
        if len(found) > len(wants):
            misses.append(f"{answer['name']}: {len(found) - len(wants)} too many")
            assert wants, misses[-1]
    shares = {name: right[name] / fields[name] for name in fields}
    report = "\n".join([f"{hits} of {entries} found", *(f"{n} {s:.3f}" for n, s in shares.items()), *misses])

    assert hits / entries >= FOUND, report
    assert all(share >= READ for name, share in shares.items() if fields[name] >= 20), report
    assert sum(right.values()) / sum(fields.values()) >= READ, report
