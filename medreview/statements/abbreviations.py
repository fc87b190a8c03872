"""Abbreviations for sentence segmentation: English, German, French, Spanish, and prescription Latin.

All entries are casefolded and without their last full stop.
"""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER_FINAL: Final = _words(
    """
    e.g i.e eg ie cf vs viz dr drs prof mr mrs ms mx st eqs app ed eds approx ca esp incl excl resp equiv min max avg
    med dept univ assoc corp rev gen col sgt hon jr sr mt ft jan feb mar apr jun jul aug sep sept oct nov dec spp
    subsp sp var cv c.f a.k.a
    abs allg bes bspw bzgl bzw einschl entspr etw evtl ev exkl ggf ggfs gem hrsg inkl insb insbes mio mrd
    od rd sog spez st std str tägl tgl u.a u.u usf verb vgl wg wiss zb z.b d.h dh i.d.r idr i.d z.t zt zzgl ztl
    o.g u.g s.o s.u m.e i.a bd bsp art dipl ing med durchschn
    c.-à-d c-à-d p.ex ex env mme mlle pr cf éd chap hab tél bd av
    p.ej ej dra sra srta sr ud uds pág págs núm aprox máx mín art fdo gral prov
    """
)
"""Something always follows these ("e.g. aspirin", "Dr. Maier", "bzw. Warfarin")."""

MAYBE_FINAL: Final = _words(
    """
    etc al inc ltd co hr hrs min mins secs wk wks mo mos yr yrs tabs cap caps inj sol susp oz lb lbs
    u.s u.k u.s.a e.u u.n d.c a.m p.m am pm ph.d m.d d.o m.sc b.sc n.b i.v i.m s.c i.d p.o p.r p.v s.l o.d b.d b.i.d
    t.i.d t.d.s q.i.d q.d q.o.d q.h q.h.s h.s a.c p.c p.r.n s.o.s n.p.o a.d a.s o.s o.u g.i u.i i.e.v
    usw u.ä u.v.m bzw jh tabl kaps inj amp v.a a.d.s
    comp cp gél inj v.o ee.uu
    """
)
"""These may end a sentence: they do when a capital letter follows."""

NAME_PARTS: Final = _words("al u.s u.k e.u u.n d.c u.s.a m.d ph.d inc co ltd v.a bzw n.b")
"""Those of ``MAYBE_FINAL`` that capitalised names follow: they end a sentence only before a word of ``STARTERS``."""

NEEDS_NUMBER: Final = _words(
    "no nos nr nrs núm fig figs tab p pp pg vol vols ch sec sect eq ref refs art n° mind abb kap"
)
"""Abbreviations only before a number or a letter ("No. 3", "Fig. 2a", "mind. 2"); before a word they end a sentence."""

ALSO_WORDS: Final = _words(
    "app med gen ft max avg ex ed gem rev st od rd std mar jan sep dec var col bes ev mt corp hon cap hab sud"
)
"""Abbreviations that are also ordinary words: a sentence ends there when the next word is one of ``STARTERS``."""

TITLES: Final = _words("dr drs prof mr mrs ms st vs")
"""Abbreviations also in upper case; other words in upper case are acronyms ("the ED. The ...")."""

LETTERED: Final = _words(
    """
    vitamin vitamins vitamine vitamina hepatitis hépatite type typ tipo group groupe gruppe grupo grade stage class
    klasse classe clase factor faktor facteur category influenza phase part panel plan option arm immunoglobulin
    strain serotype appendix schedule level child-pugh haemophilia hemophilia protein cyclosporin ciclosporin
    amphotericin or and oder und ou et y o than
    """
)
"""Words followed by a letter that is a name, not an initial ("vitamin K. Warfarin ...")."""

STARTERS: Final = _words(
    """
    a about according after all also although always an and another any as ask at avoid based because before both but
    by call check children clinicians consider contact current do does doctors during each either evidence every for
    from further general given guidelines has have he her his how however i if in increase is it its keep many men
    most my never no not on one or other others our over patients people pregnant recent recommended results she
    since some start stop studies such take talk that the their then there therefore these they this those thus to
    treatment under unless until use usually we what when where which while who why with women you your
    aber alle am auch auf bei beim bis da daher dann das dem den der des die dies diese dieser ein eine einer er es
    für ihr im ist ja kein mit nach nicht nur ob ohne patienten sie sind so und vor wenn wer wie wir zu zur
    après au aucun aux avant avec ce ces cet cette chez dans de des donc elle elles en est et il ils je la le les
    leur lors mais on ou par pas pendant pour quand sans selon ses si son sur un une vous
    al antes como con cuando del desde después durante el ella en entre es esta este estos las los lo no para pero
    por que se según sin sobre su también un una unos y
    """
)
"""Words that begin a sentence when capitalised after an abbreviation ("in the U.S. The ...")."""

DOSING: Final = _words(
    "bid tid qid qd qod qhs hs po iv im sc sl prn stat od bd tds qds ac pc npo pr pv q4h q6h q8h q12h q24h"
)
"""Prescription words that continue a dose in upper case ("500 mg p.o. BID")."""

ORDINAL_BEFORE: Final = _words(
    """
    am ab bis dem den der die das des vom zum im jeder jeden jedes seit zur beim einer einem einen und oder ein eine
    """
)
"""German words before an ordinal number ("am 3. Januar", "im 2. Trimenon")."""

ORDINAL_AFTER: Final = _words(
    """
    januar jänner februar märz april mai juni juli august september oktober november dezember trimenon trimester
    schwangerschaftswoche ssw schwangerschaftsmonat lebensjahr lebensmonat lebenswoche lebenstag wahl quartal tag
    woche monat jahr dosis linie generation grades impfung
    """
)
"""German nouns after an ordinal number ("1. Trimenon")."""
