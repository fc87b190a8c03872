"""English words that may differ between a quotation and its passage without a change of what is said."""

from typing import Final


def word_set(text: str) -> frozenset[str]:
    """The words of a text, set apart by white space."""
    return frozenset(text.split())


HARMLESS: Final = word_set(
    """
    a an the this these those that which who whom whose am is are was were be been being have has had having do does
    did doing will shall of in on at for to with as into among amongst upon during within and also then thus
    therefore however moreover furthermore additionally hence but it its itself they them their theirs themselves
    there here we our ours us you your yours i my so such too via per ie eg namely
    """
)
"""Articles, auxiliaries, pronouns without a sex, and the prepositions and connectives that decide nothing.

Not among them, since a change of them changes what is said: negations, ``or``, ``if``, ``unless``, ``until``, ``only``,
``before``, ``after``, ``above``, ``below``, ``by``, ``from``, ``than``, ``more``, quantities, what may and what must
be.
"""

BEFORE_NUMBERS: Final = frozenset({"to", "within"})
"""Of these the ones that decide before a number: ``reduced to 20%`` is not ``reduced by 20%``."""

SAME: Final = {
    word: group.split()[0]
    for group in (
        "may might can could", "should ought", "not no nor neither", "he him his himself", "she her hers herself",
        "each every", "about approximately around roughly circa", "although though", "while whereas", "versus vs",
        "toward towards", "among amongst", "because since",
        "people person persons patient patients participant participants individual individuals",
    )
    for word in group.split()
}  # fmt: skip
"""Words that stand for one another, by one of them."""

CONTRACTED: Final = {
    "cannot": ("may", "not"), "cant": ("may", "not"), "couldnt": ("may", "not"), "shouldnt": ("should", "not"),
    "mustnt": ("must", "not"), "wouldnt": ("would", "not"),
} | dict.fromkeys(
    ("dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "hasnt", "havent", "hadnt", "wont"), ("not",)
) | dict.fromkeys(
    ("youre", "theyre", "youve", "theyve", "weve", "ive", "im", "youll", "theyll", "itll", "thats", "whos"), ()
)  # fmt: skip
"""Contractions, as the words that count in them."""

POINTING_BACK: Final = word_set(
    "it its this that these those they them their he him his she her such both neither former latter same"
)
"""Words with which a sentence begins that says something only behind the one before it."""

PREPOSITIONS: Final = word_set("in on at for to with of by from during into as via through within under over")
"""Words that want a noun after them."""

FINITE_AUXILIARIES: Final = word_set(
    "is are was were has have had does do did can could may might must should will would shall"
)
"""Auxiliaries in the forms in which they follow a subject."""

FINITE: Final = FINITE_AUXILIARIES | word_set(
    """
    causes cause reduces reduce increases increase lowers lower raises raise improves improve prevents prevent treats
    needs need requires require shows show leads lead results remains remain becomes become occurs occur works work
    helps help affects affect inhibits inhibit blocks block decreases decrease worsens worsen protects protect cures
    kills kill stops stop gives give makes make contains contain interacts interact carries carry caused reduced
    increased lowered raised improved prevented showed led resulted occurred remained decreased worsened protected
    cured
    """
)
"""Verbs that want a subject before them, in the forms in which they stand after one."""

RESTRICTING: Final = word_set(
    """
    unless except excluding only until rarely seldom hardly scarcely barely avoid avoided contraindicated instead rather
    neither stop stopped discontinue discontinued contrary
    """
)
"""Words that, like a negation, take back or narrow what stands around them."""
