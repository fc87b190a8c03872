"""Write docs/reference/glossary.md from the glossary that the screens show.

    python -m tests.tools.glossary_page

A test compares the page with what this makes.
"""

from pathlib import Path
from typing import Final

from medreview.review.glossary import GROUPS

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "glossary.md"
HEAD: Final = """# Glossary

The words of the screens, as the workbench itself explains them.

This page is made by `python -m tests.tools.glossary_page` from `medreview/review/glossary.py`.
"""


def glossary_page() -> str:
    """The whole page: a table for each heading."""
    parts = [HEAD]
    for heading, terms in GROUPS.items():
        rows = [f"| {term.name} | {term.meaning} |" for term in terms]
        parts.append("\n".join([f"## {heading}", "", "| word | what it means |", "| --- | --- |", *rows, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(glossary_page(), encoding="utf-8")
