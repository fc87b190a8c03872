"""What stands in a reference beside the description of its work: when it was looked at, how it is kept, notes."""

import re
from typing import Final

from medreview.references.printed.numbers import DATE, DAY_FIRST, YEAR

_LANGUAGE: Final = (
    r"(?:arabic|chinese|croatian|czech|danish|dutch|english|finnish|french|german|greek|hebrew|hungarian|italian|japanese"
    r"|korean|norwegian|persian|polish|portuguese|romanian|russian|serbian|slovak|spanish|swedish|thai|turkish|ukrainian)"
)

NOTICES: Final = re.compile(
    rf"""
      [(\[]?\b(?:last\s)?(?:accessed|retrieved|cited|viewed|zugriff|zuletzt\sabgerufen|abgerufen|abruf|consulté
          |consultado|aufgerufen)\b
        (?:\s(?:on|am|le|el))?:?,?\s?(?:{DAY_FIRST}{YEAR}(?:[-/.]\d\d[-/.]\d\d)?(?:\s[a-zé]{{3,9}}\.?(?:\s\d{{1,2}})?)?
        |[a-zé]{{3,9}}\.?\s\d{{1,2}},?\s{YEAR}|\d{{1,2}}[./-]\d{{1,2}}[./-]{YEAR}|today|date|n\.d\.)(?:,?\s(?:from|at))?[)\]]?
    | [(\[](?:last\s)?(?:updated?|reviewed|revised|modified)\b[^()\[\]]{{0,40}}[)\]]
    | \b(?:last\s)?updated:?\s(?:on\s)?(?:[a-z]{{3,9}}\.?\s\d{{1,2}},\s{YEAR}|{DAY_FIRST}{YEAR}{DATE})
    | \blast\s(?:updated?|reviewed|revised|modified)(?:\son)?:?\s[^.;\x1f]{{4,25}}
    | \[(?:internet|online|electronic(?:\sresource)?|website|web\spage|webpage|pdf|serial\son(?:line|\sthe\sinternet)
        |(?:article\s)?in\s[a-z]{{4,12}}|[a-z]{{4,12}}|free\s(?:pmc\s)?article|published\sonline[^\[\]]{{0,60}}
        |published\scorrection[^\[\]]{{0,120}})\]
    | \((?:(?:article|text)\s)?in\s{_LANGUAGE}(?:[,;]\s[^()]{{0,40}})?\) | (?<=,)\sin\s{_LANGUAGE}(?=\s?[).]{{0,2}}\Z)
    | \bepub(?:\sahead\sof\sprint)?\s?:?\s?(?:{YEAR}{DATE}|{DAY_FIRST}{YEAR})?
    | (?:\b(?:published|epub|online)\s(?:online\s)?|(?<=\.\s)|[(\[])
        (?:ahead\sof\sprint|online\sfirst|early\sview|in\spress)\b[)\]]?
    | \bpublished\sonline:?\s(?:{DAY_FIRST}|[a-z]{{3,9}}\s\d{{1,2}},\s)(?={YEAR})
    | \berratum\sin:?\s[^\x1f]{{0,200}}
    | \bno\sabstract\savailable\b | \bfree\s(?:pmc\s)?(?:article|full\stext)\b
    | \bfull\stext\b(?=[\s:.]*(?:\x1f|\Z)) | \bopen\saccess\b(?=[\s.)]*(?:\x1f|\Z))
    """,
    re.IGNORECASE | re.VERBOSE,
)  # fmt: skip
"""Notices that are no part of the description; of "Published online August 31, 2021" the year is one."""
