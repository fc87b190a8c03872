"""Works to hold references against: three that exist, in the fields in which an authority has them."""

from medreview.references.model import Author, Identifier, Record

UKPDS = Record(
    "library",
    "ukpds33",
    kind="article",
    title="Intensive blood-glucose control with sulphonylureas or insulin compared with conventional treatment and "
    "risk of complications in patients with type 2 diabetes (UKPDS 33)",
    authors=(Author("UK Prospective Diabetes Study (UKPDS) Group", body=True),),
    containers=("The Lancet", "Lancet"),
    years=(1998,),
    volume="352",
    issue="9131",
    pages="837-853",
    identifiers=(Identifier("doi", "10.1016/s0140-6736(98)07019-6"), Identifier("pmid", "9742976")),
)
EMPA_REG = Record(
    "library",
    "emparegout",
    kind="article",
    title="Empagliflozin, Cardiovascular Outcomes, and Mortality in Type 2 Diabetes",
    authors=tuple(
        Author(*name)
        for name in (
            ("Zinman", "Bernard"),
            ("Wanner", "Christoph"),
            ("Lachin", "John M."),
            ("Fitchett", "David"),
            ("Bluhmki", "Erich"),
            ("Hantel", "Stefan"),
            ("Mattheus", "Michaela"),
            ("Devins", "Theresa"),
            ("Johansen", "Odd Erik"),
            ("Woerle", "Hans J."),
            ("Broedl", "Uli C."),
            ("Inzucchi", "Silvio E."),
        )
    ),
    containers=("New England Journal of Medicine", "N Engl J Med"),
    years=(2015,),
    volume="373",
    issue="22",
    pages="2117-2128",
    identifiers=(Identifier("doi", "10.1056/nejmoa1504720"), Identifier("pmid", "26378978")),
)
SPRINT = Record(
    "library",
    "sprint",
    kind="article",
    title="A Randomized Trial of Intensive versus Standard Blood-Pressure Control",
    authors=(
        Author("SPRINT Research Group", body=True),
        Author("Wright", "Jackson T. Jr"),
        Author("Williamson", "Jeff D."),
        Author("Whelton", "Paul K."),
    ),
    complete=False,
    containers=("New England Journal of Medicine", "N Engl J Med"),
    years=(2015,),
    volume="373",
    issue="22",
    pages="2103-2116",
    identifiers=(Identifier("doi", "10.1056/nejmoa1511939"), Identifier("pmid", "26551272")),
)
WORKS = (UKPDS, EMPA_REG, SPRINT)
