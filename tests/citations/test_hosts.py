"""Addresses of citations: their canonical form, their hosts, and lists of allowed domains."""

import re
import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.citations import Citation, canonical_key, domain, extract, fetch_url, from_list, hosts
from medreview.citations.allow_list import AllowList, has_user_info, load_allow_list, shipped_text
from medreview.citations.hosts import host_of, paywalled_domains, registrable, top_level, under, us_by_rule
from medreview.errors import UserError


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.MayoClinic.org/a?b=1#c", "mayoclinic.org"),
        ("http://user:pass@www.nhs.uk:8080/", "nhs.uk"),
        ("https://wwwnc.cdc.gov/travel", "wwwnc.cdc.gov"),
        ("https://www.com/", "www.com"),
        ("https://nejm.org./x", "nejm.org"),
        ("https://WWW.NHS.UK./Conditions", "nhs.uk"),
        ("https://bücher.de/", "xn--bcher-kva.de"),
        ("https://xn--bcher-kva.de/", "xn--bcher-kva.de"),
        ("ftp://NEJM.org:21/x", "nejm.org"),
        ("gopher://nejm.org/", ""),
        ("", ""),
    ],
)
def test_a_host_is_counted_under_one_name(url, host):
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("host", "tld", "name", "us"),
    [
        ("pubmed.ncbi.nlm.nih.gov", "gov", "nih.gov", True),
        ("bnf.nice.org.uk", "uk", "nice.org.uk", False),
        ("111.wales.nhs.uk", "uk", "wales.nhs.uk", False),
        ("gov.uk", "uk", "gov.uk", False),
        ("health.nsw.gov.au", "au", "nsw.gov.au", False),
        ("gelbe-liste.de", "de", "gelbe-liste.de", False),
        ("notco.uk", "uk", "notco.uk", False),
        ("hill.leeds.sch.uk", "uk", "hill.leeds.sch.uk", False),
        ("clinic.gv.at", "at", "clinic.gv.at", False),
        ("moh.gov.jo", "jo", "moh.gov.jo", False),
        ("hospital.city.kawasaki.jp", "jp", "city.kawasaki.jp", False),
        ("hospital.ward.kawasaki.jp", "jp", "hospital.ward.kawasaki.jp", False),
        ("anna.github.io", "io", "github.io", False),
        ("bucket.s3.amazonaws.com", "com", "amazonaws.com", True),
        ("leaflets.made-up.zzz", "zzz", "made-up.zzz", False),
        ("com", "", "", None),
        ("a.b.xn--p1ai", "xn--p1ai", "b.xn--p1ai", False),
        ("a.b.xn--55qx5d.cn", "cn", "b.xn--55qx5d.cn", False),
        ("a.xn--no-such-label.org", "org", "xn--no-such-label.org", True),
        ("127.0.0.1", "", "", None),
        ("[2001:db8::1]", "", "", None),
        ("0x7f.1", "", "", None),
        ("localhost", "", "", None),
        ("records.hospital.local", "", "", None),
        ("renal-dosing.example", "", "", None),
        ("bad..org", "", "", None),
        ("-x.org", "", "", None),
        (".".join(["a" * 60] * 5) + ".org", "", "", None),
        ("", "", "", None),
    ],
)
def test_what_a_name_tells_by_itself(host, tld, name, us):
    assert (top_level(host), registrable(host), us_by_rule(host)) == (tld, name, us)


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("nejm.org", "nejm.org"),
        ("evidence.nejm.org", "nejm.org"),
        ("notnejm.org", None),
        ("nejm.org.example", None),
        ("org", None),
        ("", None),
    ],
)
def test_below_a_domain_means_at_a_dot(host, found):
    assert under(host, {"nejm.org", "ncbi.nlm.nih.gov"}) == found


LABELS = st.lists(st.sampled_from(["a", "b", "ab", "ba"]), min_size=1, max_size=4).map(".".join)


@given(host=LABELS, domains=st.sets(LABELS, max_size=4))
def test_under_agrees_with_its_definition(host, domains):
    holding = [domain for domain in domains if host == domain or host.endswith(f".{domain}")]

    assert under(host, domains) == max(holding, key=len, default=None)


def test_the_lists_that_come_with_the_program_are_clean():
    listed = tomllib.loads(files("medreview.citations").joinpath("paywalled.toml").read_text())["domains"]
    names = tomllib.loads(files("medreview.citations").joinpath("domains.toml").read_text())
    reserved = names["reserved"]

    assert paywalled_domains() == set(listed)
    assert len(set(listed)) == len(listed)
    assert names["us"] == ["com", "org", "gov", "edu", "info", "net"]
    assert [registrable(f"a.{name}") for name in reserved] == [""] * len(reserved)


def test_the_suffix_list_is_never_fetched(monkeypatch):
    """Without its file the package would ask publicsuffix.org, and no command has said that it uses the network."""
    asked = []
    monkeypatch.setattr("tld.base.urlopen", asked.append)
    monkeypatch.setattr("tld.utils.MozillaPublicOnlyTLDSourceParser.local_path", "res/missing.txt")
    hosts._suffix_length.cache_clear()

    with pytest.raises(UserError, match="install that package again"):
        registrable("nice.org.uk")
    assert asked == []
    monkeypatch.undo()
    hosts._suffix_length.cache_clear()
    assert registrable("bnf.nice.org.uk") == "nice.org.uk"


def test_an_own_list(tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text('domains = ["www.Journal.org", "bücher.de"]\n')

    assert paywalled_domains(own) == {"journal.org", "xn--bcher-kva.de"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("domains = [", "not valid TOML"),
        ("\x00", "not valid TOML"),
        ("", "must hold one list"),
        ('domains = "nejm.org"', "must hold one list"),
        ('domains = []\ndomain = ["nejm.org"]', "must hold one list"),
        ('domains = ["https://nejm.org/"]', "'https://nejm.org/' is not a domain"),
        ('domains = ["nejm.org/doi"]', "is not a domain"),
        ('domains = ["org"]', "is not a domain"),
        ('domains = ["*.nejm.org"]', "is not a domain"),
        ("domains = [7]", "'7' is not a domain"),
    ],
)
def test_a_wrong_list_is_one_sentence(tmp_path, text, said):
    own = tmp_path / "mine.toml"
    if text is not None:
        own.write_text(text)
    with pytest.raises(UserError, match=r"mine\.toml") as caught:
        paywalled_domains(own)

    assert said in str(caught.value)


def test_a_list_gives_citations_without_offsets_and_names_what_it_cannot_use() -> None:
    listed = from_list(
        [
            "https://x.org/a.", "nothing", "Smith 2020. doi:10.1000/X, https://doi.org/10.1000/x", "12345678",
            "PMID 5", "",
        ]
    )  # fmt: skip
    assert listed.citations == [Citation("url", "https://x.org/a"), Citation("doi", "10.1000/x"), Citation("pmid", "5")]
    assert [tuple(bad) for bad in listed.unusable] == [(1, "nothing"), (3, "12345678"), (5, "")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("HTTPS://WWW.Who.int:443/A?b=C#d", "https://www.who.int/A?b=C"),
        ("http://x.org:80", "http://x.org/"),
        ("https://x.org/?a=1&amp;b=2", "https://x.org/?a=1&b=2"),
        ("https://x.org/foo\\_bar", "https://x.org/foo_bar"),
        ("https://x.org./%7euser/%c3%a9", "https://x.org/~user/%C3%A9"),
        ("https://doi.org/10.1000/X", "doi:10.1000/x"),
        ("https://pubmed.ncbi.nlm.nih.gov/123/", "PMID: 123"),
        ("arXiv:math.GT/0309136", "https://arxiv.org/abs/math/0309136"),
        ("arXiv:2101.00001v1", "https://arxiv.org/pdf/2101.00001v3.pdf"),
        ("www.who.int", "https://www.who.int/"),
        ("www.ncbi.nlm.nih.gov/pubmed/123", "PMID: 123"),
        ("https://x.org/?a=b\\|c", "https://x.org/?a=b%7Cc"),
        ("https://münchen.example/x", "https://xn--mnchen-3ya.example/x"),
        ("https://x.org/a?utm_source=chatgpt.com", "https://x.org/a"),
        ("https://x.org/a?b=1&utm_source=chatgpt.com&utm_medium=x&c=2#d", "https://x.org/a?b=1&c=2"),
        ("https://x.org/a?gclid=1&fbclid=2&msclkid=3", "https://x.org/a?UTM_Campaign=x"),
    ],
)
def test_the_same_source(first: str, second: str) -> None:
    assert canonical_key(extract(first)[0]) == canonical_key(extract(second)[0])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://x.org/", "https://x.org/"),
        ("https://x.org/a", "https://x.org/A"),
        ("https://x.org:8080/", "https://x.org/"),
        ("https://x.org/?a=1", "https://x.org/?a=2"),
        ("https://x.org/a%2Fb", "https://x.org/a/b"),
        ("PMID: 1234567", "PMC1234567"),
        ("https://x.org/a?source=chatgpt.com", "https://x.org/a"),
        ("https://x.org/a?id=utm_source", "https://x.org/a"),
    ],
)
def test_another_source(first: str, second: str) -> None:
    assert canonical_key(extract(first)[0]) != canonical_key(extract(second)[0])


@pytest.mark.parametrize(
    ("citation", "key", "address"),
    [
        (Citation("url", "https://Host/path#x"), "url:https://host/path", "https://Host/path"),
        (Citation("url", "https://a.org/?x=1&amp;y=2"), "url:https://a.org/?x=1&y=2", "https://a.org/?x=1&y=2"),
        (Citation("doi", "10.1000/x<1>2;3#"), "doi:10.1000/x<1>2;3#", "https://doi.org/10.1000/x%3C1%3E2;3%23"),
        (Citation("pmid", "123"), "pmid:123", "https://pubmed.ncbi.nlm.nih.gov/123/"),
        (Citation("pmcid", "PMC9"), "pmcid:PMC9", "https://pmc.ncbi.nlm.nih.gov/articles/PMC9/"),
        (Citation("nct", "NCT01234567"), "nct:NCT01234567", "https://clinicaltrials.gov/study/NCT01234567"),
        (Citation("arxiv", "2101.00001v2"), "arxiv:2101.00001", "https://arxiv.org/abs/2101.00001v2"),
        (Citation("url", "www.who.int/x#y"), "url:https://www.who.int/x", "https://www.who.int/x"),
        (Citation("url", "https://x.org/?a=b|c"), "url:https://x.org/?a=b%7Cc", "https://x.org/?a=b|c"),
    ],
)
def test_key_and_address(citation: Citation, key: str, address: str) -> None:
    assert (canonical_key(citation), fetch_url(citation)) == (key, address)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://WWW.NIH.gov:443/x", "www.nih.gov"),
        ("http://nih.gov@evil.org/", "evil.org"),
        ("https://x.org?q=/@nih.gov", "x.org"),
        ("https://x.org.", "x.org"),
        ("http://[::1]:80/", "[::1]"),
        ("ftp://x.org:21/", "x.org"),
        ("sftp://x.org/", ""),
        ("nothing", ""),
    ],
)
def test_domain(url: str, host: str) -> None:
    assert domain(url) == host


NOTEBOOK = [
    "nih.gov", "ncbi.nlm.nih.gov", "niddk.nih.gov", "nichd.nih.gov", "cdc.gov", "who.int", "nice.org.uk", "nejm.org",
    "jamanetwork.com", "bmj.com", "thelancet.com", "nature.com",
]  # fmt: skip


def write(folder, text):
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def allow(folder, *domains: str) -> AllowList:
    return load_allow_list(write(folder, f"[allowed]\ndomains = {list(domains)!r}"))


def matched(listed: AllowList, url: str) -> str:
    return str(listed.match(url) or "")


@pytest.mark.parametrize(
    "url",
    [
        "https://nih.gov", "https://nih.gov/x", "http://www.nih.gov/", "https://a.b.nih.gov/x?y=1#z",
        "HTTPS://WWW.NIH.GOV/x", "https://nih.gov./x", "https://nih.gov:8443/x", "https://ｎｉｈ.gov/x",
    ],
)  # fmt: skip
def test_a_domain_takes_itself_and_all_below_it(tmp_path, url):
    assert matched(allow(tmp_path, "nih.gov"), url) == "nih.gov"


@pytest.mark.parametrize(
    "url",
    [
        "https://nih.gov@evil.example/", "https://user:word@nih.gov/", "https://nih.gov:80@evil.example/",
        "https://nih.gov.evil.example/", "https://evilnih.gov/", "https://evil-nih.gov/",
        "https://evil.example/nih.gov", "https://evil.example?nih.gov", "https://evil.example#.nih.gov",
        "https://nіh.gov/", "https://gov/", "https://nih.gov%2eevil.example/", "https://[::1]/", "sftp://nih.gov/",
        "nih.gov", "",
    ],
)  # fmt: skip
def test_what_only_looks_like_it_is_never_taken(tmp_path, url):
    assert matched(allow(tmp_path, "nih.gov"), url) == ""


def test_a_user_name_in_an_address_is_seen():
    assert has_user_info("https://nih.gov@evil.example/")
    assert has_user_info("https://me@nih.gov/")
    assert not has_user_info("https://x.org/?mail=me@nih.gov")


@given(st.from_regex(r"[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True), st.sampled_from(NOTEBOOK))
def test_only_a_dot_parts_a_sub_domain(label, entry):
    listed = load_allow_list()

    assert matched(listed, f"https://{label}.{entry}/") in {entry, f"{label}.{entry}"}
    assert listed.match(f"https://{entry}.{label}.example/") is None
    assert listed.match(f"https://{label}{entry.replace('.', '-')}.example/") is None


def test_the_closest_entry_is_named(tmp_path):
    listed = allow(tmp_path, "nih.gov", "ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov/books")

    assert matched(listed, "https://www.ncbi.nlm.nih.gov/books/NBK1/") == "ncbi.nlm.nih.gov/books"
    assert matched(listed, "https://www.ncbi.nlm.nih.gov/gene/1") == "ncbi.nlm.nih.gov"
    assert matched(listed, "https://www.niddk.nih.gov/") == "nih.gov"


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        ("https://x.org/books", True),
        ("https://www.x.org/books/a?b=c", True),
        ("https://x.org/%62ooks/a", True),
        ("https://x.org/bookshop", False),
        ("https://x.org/", False),
        ("https://x.org/a/books", False),
        ("https://x.org/books/../evil", False),
        ("https://x.org/books/%2e%2e/evil", False),
        ("https://x.org/books/..%2fevil", False),
        ("https://x.org/books/%252e%252e/evil", False),
    ],
)
def test_an_entry_with_a_path_takes_that_part_only(tmp_path, url, taken):
    assert bool(allow(tmp_path, "x.org/books").match(url)) is taken


def test_entries_in_other_scripts_and_capitals_mean_the_same(tmp_path):
    listed = allow(tmp_path, "MÜNCHEN.example.", " Who.INT ")

    assert matched(listed, "https://www.xn--mnchen-3ya.example/") == "xn--mnchen-3ya.example"
    assert matched(listed, "https://who.int/x") == "who.int"


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("org", "'org' is a suffix that anybody's domain may end in"),
        ("co.uk", "'co.uk' is a suffix"),
        ("com.au", "'com.au' is a suffix"),
        ("https://nih.gov", "'https://nih.gov' is an address; write the domain only"),
        ("*.nih.gov", "'*.nih.gov' is not a domain"),
        (".nih.gov", "'.nih.gov' is not a domain"),
        ("nih.gov:443", "'nih.gov:443' is not a domain"),
        ("me@nih.gov", "'me@nih.gov' is not a domain"),
        ("nih .gov", "'nih .gov' is not a domain"),
        ("10.0.0.1", "'10.0.0.1' is a number"),
        ("x.org/a/../b", "'x.org/a/../b' has a path"),
        ("", "'' is not a domain"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named(tmp_path, entry, says):
    with pytest.raises(UserError, match=re.escape(says)) as caught:
        allow(tmp_path, "who.int", entry)
    assert "mine.toml" in str(caught.value)


@pytest.mark.parametrize("entry", ["gov.uk", "nhs.uk", "gc.ca"])
def test_a_body_with_a_suffix_of_its_own_can_be_named(tmp_path, entry):
    assert matched(allow(tmp_path, entry), f"https://www.{entry}/x") == entry


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x =", "is not valid TOML"),
        ("domains = ['who.int']", "put a line [allowed] above 'domains'"),
        ("[alowed]\n", "unknown key 'alowed'; known are allowed, groups"),
        ("[allowed]\ndomain = []", "unknown key 'domain' in [allowed]"),
        ("[[groups]]\nname = 'a'\nidentifiers = []", "unknown key 'identifiers' in [[groups]]"),
        ("[allowed]\ndomains = 'nih.gov'", "'domains' must be a list of texts"),
        ("[allowed]\ndomains = [1]", "'domains' must be a list of texts"),
        ("[[groups]]\nname = 1", "the name of a group must be a text"),
        ("allowed = 1", "'allowed' must be a table"),
        ("groups = 1", "'groups' must be tables"),
        ("[allowed]\nidentifiers = ['isbn']", "there is no identifier 'isbn'; there are doi, pmid, pmcid, nct, arxiv"),
        ("[allowed]\nidentifiers = ['url']", "there is no identifier 'url'"),
        ("[allowed]\nidentifiers = []", "allows nothing"),
    ],
)
def test_a_file_of_another_form_is_one_sentence(tmp_path, text, says):
    with pytest.raises(UserError, match=re.escape(says)) as caught:
        load_allow_list(write(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path):
    (tmp_path / "latin.toml").write_bytes(b"# \xe9\n")
    for name, says in (("none.toml", "cannot be read"), (".", "cannot be read"), ("latin.toml", "not valid TOML")):
        with pytest.raises(UserError, match=says):
            load_allow_list(tmp_path / name)


def test_groups_and_identifiers_of_a_file(tmp_path):
    listed = load_allow_list(write(
        tmp_path,
        "[allowed]\ndomains = ['who.int']\nidentifiers = ['doi']\n[[groups]]\nname = 'ours'\ndomains = ['x.example']",
    ))  # fmt: skip

    assert (len(listed), listed.identifiers) == (2, {"doi"})
    assert listed.match("https://x.example/").group == "ours"
    assert listed.match("https://who.int/").group == ""
    assert load_allow_list(write(tmp_path, "[allowed]\ndomains = ['who.int']")).identifiers == {
        "doi", "pmid", "pmcid", "nct",
    }  # fmt: skip


def test_the_list_of_the_program_holds_the_notebooks_domains_and_can_be_made_ones_own(tmp_path):
    listed = load_allow_list()

    assert [entry for entry in NOTEBOOK if matched(listed, f"https://www.{entry}/x") != entry] == []
    assert listed.match("https://www.cochranelibrary.com/x").group == "systematic reviews"
    assert matched(listed, "https://www.gov.uk/drug-safety-update/x") == "gov.uk/drug-safety-update"
    assert matched(listed, "https://www.gov.uk/x") == ""
    assert load_allow_list(write(tmp_path, shipped_text())).entries == listed.entries
