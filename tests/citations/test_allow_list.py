"""The allow-list: what an entry takes, what it never takes, and what is said of a file that cannot be used."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.citations.allow_list import AllowList, has_user_info, load_allow_list, shipped_text
from medreview.errors import UserError

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
        "https://nih.gov",
        "https://nih.gov/x",
        "http://www.nih.gov/",
        "https://a.b.nih.gov/x?y=1#z",
        "HTTPS://WWW.NIH.GOV/x",
        "https://nih.gov./x",
        "https://nih.gov:8443/x",
        "https://ｎｉｈ.gov/x",
    ],
)
def test_a_domain_takes_itself_and_all_below_it(tmp_path, url):
    assert matched(allow(tmp_path, "nih.gov"), url) == "nih.gov"


@pytest.mark.parametrize(
    "url",
    [
        "https://nih.gov@evil.example/",
        "https://user:word@nih.gov/",
        "https://nih.gov:80@evil.example/",
        "https://nih.gov.evil.example/",
        "https://evilnih.gov/",
        "https://evil-nih.gov/",
        "https://evil.example/nih.gov",
        "https://evil.example?nih.gov",
        "https://evil.example#.nih.gov",
        "https://nіh.gov/",  # a Cyrillic letter
        "https://gov/",
        "https://nih.gov%2eevil.example/",
        "https://[::1]/",
        "ftp://nih.gov/",
        "nih.gov",
        "",
    ],
)
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
        ("*.nih.gov", "'*.nih.gov' is no domain"),
        (".nih.gov", "'.nih.gov' is no domain"),
        ("nih.gov:443", "'nih.gov:443' is no domain"),
        ("me@nih.gov", "'me@nih.gov' is no domain"),
        ("nih .gov", "'nih .gov' is no domain"),
        ("10.0.0.1", "'10.0.0.1' is a number"),
        ("x.org/a/../b", "'x.org/a/../b' has a path"),
        ("", "'' is no domain"),
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
