"""What the words of the screens mean, for a clinician: shown by ``F1`` and in docs/reference/glossary.md."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from medreview.review.cell_width import width
from medreview.review.why_flagged import every_reason
from medreview.review.wrapping import WrapTable

_SIDE_BY_SIDE: Final = 60
"""Columns from which a term and its meaning share a row."""
_NAME: Final = 26
"""Columns of the terms there; a longer one has a row of its own."""


class Gloss(NamedTuple):
    """A word or sign as the screens print it, and what it means in a sentence or two."""

    name: str
    meaning: str


_FLAGGED: Final = "Why it is flagged"
_WRITTEN: Final[dict[str, tuple[Gloss, ...]]] = {
    "What is reviewed": (
        Gloss("statement", "One claim of an answer, cut out so that it can be checked by itself."),
        Gloss("answer 11, statement 5 of 7", "The fifth of the seven statements of the answer that this study "
             "numbers 11. Where room is short, and in filters, it is R11 S5/7."),
        Gloss("response, answer", "What a language model wrote to one question."),
        Gloss("source", "A page or document that the answer cites. Its number is the answer's own."),
        Gloss("cited here", "The source stands at this statement itself. Others are cited elsewhere in the same "
             "answer."),
        Gloss("no citation here", "Nearly all other statements of this answer have a citation, and this one has "
             "none."),
        Gloss("page", "The text of a source as it was fetched. You judge by this text alone."),
        Gloss("snapshot", "The text of a page at the time it was fetched. A later fetch makes another snapshot, and "
             "labels stay with theirs."),
        Gloss("only an excerpt", "Only a passage of the page came with the answer. The page itself was not fetched "
             "yet."),
        Gloss("left out", "A part of the answer that makes no claim, such as a heading or a question. It is dim, and "
             "l shows it."),
        Gloss("unit", "Anything that is reviewed: a statement, a question, a reference, a ranking of answers."),
        Gloss("gold item", "An item whose right label is known. It shows how well a reviewer keeps to the guidelines."),
    ),
    _FLAGGED: (
        Gloss("flagged", "Something speaks against the judges' verdict: a quote, a number, the page, or the judges "
             "differ. Triage shows these first."),
        Gloss("quote", "Words that a judge says stand on the page. medreview looks for them there."),
        Gloss("quote on page", "The judge's words stand on the page, but for spaces, hyphens and the like."),
        Gloss("quote not on page", "The judge's words stand nowhere on the page. They may be invented. Files say "
             "`absent`."),
        Gloss("quote changed", "The passage is on the page, but a number or a word that matters is another one there. "
             "Files say `altered`."),
        Gloss("quote on another topic", "The words are on the page, but they are not about this statement. Files say "
             "`off_topic`."),
        Gloss("quote nearly as on page", "The passage is on the page in almost the same words; nothing that matters "
             "differs."),
        Gloss("quote in another source", "The words are not on this page but on another page that the answer cites."),
        Gloss("quote too short to place", "The quote has too few words to prove anything."),
        Gloss("quote in hidden text", "The words are in a part of the page that no reader sees."),
        Gloss("number differs", "The statement has a number that the most similar passage of the page has otherwise. "
             "So for units, negation, population and the like."),
        Gloss("sources conflict", "One source supports the statement and another contradicts it."),
        Gloss("nothing like it on page", "The rules found no passage on the page that is like the statement."),
        Gloss("judges unsure", "A judge is less than 60% sure of its verdict."),
        Gloss("page changed since", "The page has another text now than when the judges read it."),
        Gloss("page steers judges", "The page holds words that try to steer a model that reads it."),
        Gloss("(scan?)", "The page was a picture and read by a program, which may have misread this word. Look at "
             "the page itself."),
    ),
    "Who says what": (
        Gloss("judges", "Language models that were asked whether the page says the statement. They can be wrong: that "
             "is what you find out."),
        Gloss("together", "What the judges say when their votes are counted: 2-1 means two against one."),
        Gloss("judges split 2-1", "The judges disagree: two say one thing, one says another."),
        Gloss("judges tied 1-1, TIE", "As many judges for one verdict as for another, so they have none together."),
        Gloss("abstained", "The judge was asked and gave no verdict that counts: none that medreview can read, or one "
             "whose quote proves nothing."),
        Gloss("69% sure", "How sure the judge says it is of its own verdict. It is not a measured probability."),
        Gloss("the rules (words only)", "A program without a model that compares words and numbers. It helps to find "
             "doubtful statements and does not understand meaning."),
        Gloss("all together", "A judge that read all cited pages at once, not one after the other."),
        Gloss("nearest passage", "The passage of the page whose words are most like the statement. It may still be "
             "about something else."),
        Gloss("clash", "A number or word of the statement beside what the page has in its place. Both are lit in red."),
        Gloss("accept", "Take over what the judges say together as your own verdict."),
    ),
    "What you do": (
        Gloss("verdict, label", "Your answer to the question: does the page say it?"),
        Gloss("supported", "The page says this, wholly."),
        Gloss("partial", "The page says a part of this, or says it less strongly."),
        Gloss("contradicted", "The page says something that cannot be true together with this."),
        Gloss("not addressed", "The page says nothing on this, for or against."),
        Gloss("cannot judge", "The text at hand lets nobody decide."),
        Gloss("hallucination", "Something invented or wrong, whatever the page says: against known facts, against the "
             "question, or against the answer itself."),
        Gloss("span", "The words of the statement or the page that you mark as the place of something."),
        Gloss("deferred", "You put it off. It waits in the queue of that name."),
        Gloss("dispute", "Your flag for a factual error, whatever the source says. It is not a verdict."),
        Gloss("feedback", "Your flag for an obvious hallucination. It is not a verdict."),
        Gloss("own labels", "Labels on the study's own axes, such as severity of harm. Press z, then the key of a "
             "level."),
        Gloss("#dose", "A tag that you gave it. The key # adds and removes tags."),
        Gloss("badly parsed", "Your flag for a statement that was cut out wrongly."),
        Gloss("stale", "You decided on a text that has changed since. Look again and decide again."),
        Gloss("receipt", "The last row, for example saved #1234. It appears when your decision is in the file."),
        Gloss("guidelines", "The text that says what the labels mean in this study. F2 shows it."),
    ),
    "Queues and how they are shown": (
        Gloss("triage", "The flagged statements, gravest first. It finds errors; it does not say how many there are."),
        Gloss("audit", "A random draw that you judge blind. Only from it can figures for the whole study be computed."),
        Gloss("other queues", "Beside labels: all queues but the audit. Their statements were chosen, not drawn."),
        Gloss("draw", "Statements chosen at random. Each has a known chance of being chosen."),
        Gloss("reserved", "Kept out of all other queues until you have judged it blind in the audit."),
        Gloss("blind", "You decide before you see what the judges say."),
        Gloss("block", "Some blind decisions in a row, 20 for example. The judges are shown when all are made."),
        Gloss("assisted", "You saw the judges before you decided. Such labels are kept apart from blind ones."),
        Gloss("second pass", "The same statements again after a while, to see whether you would decide the same."),
        Gloss("conflict", "Two reviewers gave different labels."),
        Gloss("settled", "A conflict that a third reviewer, or the two together, decided."),
    ),
    "The page and its state": (
        Gloss("ok", "The page was fetched and read."),
        Gloss("page not fetched", "Nobody has asked for the page yet."),
        Gloss("dead link", "The link is dead, or the server refuses."),
        Gloss("page timed out", "The server did not send the page in time."),
        Gloss("page not opened", "The address was not opened: it is not public, or the site forbids programs."),
        Gloss("page too large", "The page is larger than medreview reads."),
        Gloss("page unreadable", "The page came, but reading it took too long or broke down."),
        Gloss("not a text", "There is a picture, a film or a data file at this address."),
        Gloss("scanned PDF", "A PDF of pictures without text. It can be read by OCR."),
        Gloss("locked PDF", "A PDF that is locked with a password."),
        Gloss("page gone", "The server sent a page that says: not found."),
        Gloss("cookie wall", "A question about cookies came in place of the page."),
        Gloss("paywall", "Only an abstract or a preview can be read without paying."),
        Gloss("page needs a browser", "The page needs a browser to be put together; no text came with it."),
        Gloss("page behind a robot check", "The site asked for proof of a human in place of showing the page."),
        Gloss("page almost empty", "The page holds hardly any text."),
        Gloss("link leads elsewhere", "The address leads to the site's first page, not to the page that was cited."),
        Gloss("given with the answer", "The text came with the answer. Nobody fetched the address."),
        Gloss("given by reviewer", "A reviewer pasted the text or gave a file."),
    ),
    "References": (
        Gloss("reference", "A work that the answer names, with authors, title and year."),
        Gloss("reference matches", "The work exists and is the one described."),
        Gloss("reference inaccurate", "The work exists, but its author, journal, year or title is given wrongly."),
        Gloss("another work", "The identifier (a DOI, for example) exists and belongs to a different work."),
        Gloss("reference not found", "No service that was asked has such a work. That does not prove that it is "
             "invented."),
    ),
    "Figures": (
        Gloss("n", "The number of labels that a figure is made of."),
        Gloss("agreement", "The share of statements on which you and the judges say the same."),
        Gloss("interval", "The range in brackets: how far the figure could be off, because only some statements were "
             "judged. In 95 of 100 such studies it holds the true value."),
        Gloss("kappa", "Agreement beyond what chance would give: 1 is complete, 0 is no better than chance. Cohen's "
             "kappa falls where one label is very common."),
        Gloss("AC1", "Agreement beyond chance as kappa, by Gwet. It stays stable where one label is very common."),
        Gloss("matrix", "Your labels in rows, the judges' in columns. On the shaded diagonal both say the same."),
        Gloss("scale", "Which labels are compared: all four, or only supported or not."),
        Gloss("estimate", "What the audit says of the whole study, with its interval."),
        Gloss("interim", "The plan of the audit is not reached yet. If you stop here because you like the figure, its "
             "interval is too narrow."),
        Gloss("no plan is set", "Nobody said before when the audit ends. Its interval is right if you read it once: "
             "audit --plan 5 sets an end."),
        Gloss("valid at every look", "A wider interval that you may read as often as you like. Over all looks it "
             "misses in at most 5 of 100 studies."),
        Gloss("quest, resp, cases", "Over how many questions, responses or cases an interval is made. What comes from "
             "one of them is alike, so that few of them mean a wide interval."),
        Gloss("assisted by a coin", "A coin decides for each statement of the audit whether you see the judges. The "
             "two halves show how far seeing them moves your labels."),
        Gloss("advantage", "How often a judge is at least as near to the other people as the person it is compared "
             "with."),
        Gloss("corrected (Rogan-Gladen)", "The judges' share of supported statements, corrected for how often they are "
             "wrong by your labels. A check only."),
        Gloss("calibration error", "How far a judge's stated confidence is from how often it is right. From few labels "
             "it comes out too high."),
    ),
}  # fmt: skip


def _with_every_reason() -> Iterator[tuple[str, tuple[Gloss, ...]]]:
    """All terms; a reason for a flag that has none of its own is explained by its sentence."""
    known = {term.name for terms in _WRITTEN.values() for term in terms}
    reasons = {reason.short: f"{reason.sentence[:1].upper()}{reason.sentence[1:]}." for reason in every_reason()}
    for heading, terms in _WRITTEN.items():
        more = (Gloss(*one) for one in reasons.items() if one[0] not in known) if heading == _FLAGGED else ()
        yield heading, (*terms, *(term for term in more if not term.name.startswith("judges tied ")))


GROUPS: Final = dict(_with_every_reason())
"""The terms by the heading under which they stand."""

GLOSSARY: Final = tuple(term for terms in GROUPS.values() for term in terms)
"""Every term, in the order of the page."""


def page(columns: int) -> str:
    """The glossary in rows of at most so many columns; terms stand beside their meanings where there is room."""
    parts = []
    for heading, terms in GROUPS.items():
        rows = [heading.upper()]
        for term in terms:
            rows += _rows(term, columns)
        parts.append("\n".join(rows))
    return "\n\n".join(parts)


def _rows(term: Gloss, columns: int) -> list[str]:
    lead = _NAME if columns >= _SIDE_BY_SIDE else 4
    meaning = term.meaning.replace("`", "")
    lines = [meaning[start:end].rstrip() for start, end in WrapTable(meaning, max(10, columns - lead)).rows]
    name = f"  {term.name}"
    if width(name) + 2 <= lead:
        return [name.ljust(lead) + lines[0], *(" " * lead + line for line in lines[1:])]
    return [name, *(" " * lead + line for line in lines)]
