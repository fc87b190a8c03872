"""A brief while it is written: statements with the tags of their notes, as prompts show and models return them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

_TAG_IN_TEXT: Final = re.compile(r"\s*[<\[(]\s*N\d{1,4}(?:\s*[,;]\s*N\d{1,4})*\s*[>\])]")
_LEAD: Final = re.compile(r"\A(?:[#>*•-]+\s+|\d{1,3}[.)]\s+)+")
_LONGEST_HEADING: Final = 6
"""Words of a line that stands as a heading among statements."""
HEADINGS: Final = """
    problem problems list active chronic other issues disposition follow up plan assessment medication medications
    discharge admission hospital course one line summary history allergies social functional code status diet procedures
    results laboratory imaging consults background general prophylaxis presentation outcome
"""
"""Words of the headings of clinical documents."""
_HEADING_WORDS: Final = frozenset(HEADINGS.split())


class Claim(NamedTuple):
    """One statement of a brief, and the tags of the notes that it comes from."""

    text: str
    tags: tuple[str, ...]


class Refined(NamedTuple):
    """A statement of a refined brief; ``number``: which statement of the brief before it was, 0 for a new one."""

    number: int
    claim: Claim


class Placed(NamedTuple):
    """A statement of a reorganised brief, and the ``numbers`` of those that it was made of."""

    numbers: tuple[int, ...]
    claim: Claim


class Problem(NamedTuple):
    """One problem of the problem list: its name, which is no statement, and its statements."""

    name: str
    claims: tuple[Placed, ...]


class Organised(NamedTuple):
    """A brief in its three sections (MedAgentBrief): one line, the hospital course, the problem list."""

    summary: Placed
    course: tuple[Placed, ...]
    problems: tuple[Problem, ...]

    def claims(self) -> Iterator[Placed]:
        """All statements in order."""
        yield self.summary
        yield from self.course
        for problem in self.problems:
            yield from problem.claims


def claims_of(value: Mapping[str, Any]) -> list[Claim]:
    """The statements of a draft as a model returned it; headings among them are no statements."""
    return [_claim(item) for item in value["statements"] if not is_heading(item["text"])]


def refined_of(value: Mapping[str, Any], before: Sequence[Claim]) -> list[Refined]:
    """The statements of a refined brief as a model returned it, without headings; one without a text is as it was
    ``before``."""
    return [
        Refined(item["number"], _claim(item, [item["number"]], before))
        for item in value["statements"]
        if not is_heading(item["text"])
    ]


def organised_of(value: Mapping[str, Any], before: Sequence[Claim]) -> Organised:
    """A reorganised brief as a model returned it; statements without a text stand as they did ``before``. Headings are
    no statements, and a problem without statements is none."""

    def placed(items: Iterable[Mapping[str, Any]]) -> tuple[Placed, ...]:
        return tuple(
            Placed(tuple(dict.fromkeys(item["numbers"])), _claim(item, item["numbers"], before))
            for item in items
            if not is_heading(item["text"])
        )

    one = value["one_line_summary"]
    summary = Placed(tuple(dict.fromkeys(one["numbers"])), _claim(one, one["numbers"], before))
    problems = (Problem(on_one_line(item["problem"]), placed(item["statements"])) for item in value["problem_list"])
    return Organised(summary, placed(value["hospital_course"]), tuple(one for one in problems if one.claims))


def numbered(claims: Sequence[Claim]) -> str:
    """Statements as a prompt has them, a line each: ``3. Weight fell from 84 to 78 kg. [N1] [N4]``."""
    return "\n".join(
        " ".join([f"{number}.", claim.text, *(f"[{tag}]" for tag in claim.tags)])
        for number, claim in enumerate(claims, 1)
    )


def in_order(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags once each, ``N2`` before ``N10``."""
    return tuple(sorted(dict.fromkeys(tags), key=lambda tag: (len(tag), tag)))


def _claim(item: Mapping[str, Any], numbers: Iterable[int] = (), before: Sequence[Claim] = ()) -> Claim:
    """A statement, where it has no text or no tags with those of the statements that it was made of."""
    made_of = [before[number - 1] for number in dict.fromkeys(numbers) if 1 <= number <= len(before)]
    text, tags = cleaned(item["text"]), [tag.strip().strip("<>[]") for tag in item["tags"]]
    if not text:
        text = " ".join(claim.text for claim in made_of)
        tags = tags or [tag for claim in made_of for tag in claim.tags]
    return Claim(text, in_order(filter(None, tags)))


def is_heading(text: str) -> bool:
    """Whether a line that a model wrote among statements is a heading: ``## Allergies``, ``Disposition:``."""
    line = on_one_line(text).strip("*_ ")
    found = re.findall(r"[^\W_]+", line.casefold())
    if not found or len(found) > _LONGEST_HEADING:
        return False
    return line.startswith("#") or line.endswith(":") or _HEADING_WORDS.issuperset(found)


def on_one_line(text: str) -> str:
    """A text as a model wrote it, without line ends and NULs."""
    return " ".join(text.replace("\0", " ").split())


def cleaned(text: str) -> str:
    """A statement as a model wrote it, without tags, list and heading marks, on one line, with a full stop."""
    text = _LEAD.sub("", on_one_line(_TAG_IN_TEXT.sub("", text)), count=1)
    return text if not text or text[-1] in ".!?" else f"{text}."
