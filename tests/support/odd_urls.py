"""Addresses that nobody should have written, made from a seed: a model writes them, a server redirects to them."""

import random
from typing import Final

HOSTS: Final = (
    "xn--a", "xn--\u00fc.example", "xn--99999999.example", "xn--ls8h\u00e9.example", "xn--.example", "xn--zz--.example",
    "xn--0000h.example", "a..example", ".example", "example.", "a.example..", "-a.example", "a-.example", "_a.example",
    "a" * 64 + ".example", "a" * 300 + ".example", ".".join(["a" * 60] * 5) + ".example", "a b.example",
    "a%20b.example",
    "%65xample.example", "%00.example", "%zz.example", "ex%e4mple.example", "[::1]", "[::1", "::1]", "[::zz]", "[v1.x]",
    "[fe80::1%25eth0]", "[]", "256.256.256.256", "1.2.3", "0x7f.1", "2130706433", "127.1", "\uff41.example",
    "a\u3002example", "a\uff0eexample", "\u202ea.example", "a\u200b.example", "a\u00ad.example", "\u00df.example",
    "\u0130.example", "\u212a.example", "\u3042.example", "\U0001f600.example", "\u0627.example", "a\u0627.example",
    "\ufdfa.example", "a\u0300.example", "\u0300.example", "*.example", "a,b.example", "a_b.example", "a'b.example",
    "a|b.example", "a\\b.example", "a^b.example", "a`b.example", "localhost", "", ".", "..", "\ufffd.example",
)  # fmt: skip
USERS: Final = ("", "", "", "", "", "user@", "user:word@", ":@", "@", "a@b@", "%zz@", "\u00fc:\u00e4@", "a:b:c@")
PORTS: Final = (
    *("", "", "", "", "", ":", ":0", ":80", ":443", ":65535", ":65536", ":99999999999999999999", ":-1", ":a", ":8o"),
    *(":\u0661", ": 80", ":80:80", ":+80", ":00080"),
)
SCHEMES: Final = (
    *("http://", "https://", "http://", "https://", "http://", "https://", "HTTP://", "hTTps://", "http:/", "http:"),
    *("https:///", "//", "http:////", "ftp://", "file://", "javascript:", "data:text/html,", "gopher://", "ws://", ""),
)
PATHS: Final = (
    *(
        "",
        "",
        "/",
        "/a",
        "/%zz",
        "/%",
        "/%00",
        "/\x00",
        "/\x7f",
        "/a b",
        "/\u202egnp.exe",
        "/\u200b",
        "/..",
        "/../../x",
    ),
    *("/a\\b", "/" + "x" * 5_000, "/?", "/?a=%zz&b", "/#", "/#a#b", "/a?b#c?d", "/\u00fc", "/\U0001f600", "/\ud800"),
    *("/a\u2028b", "/<b>", "/a'b\"c", "/;a=b", "/a|b", "/{a}", "/[a]", "/a\tb", "/\ufffe", "/?" + "a=b&" * 500),
)


def odd_urls(count: int, seed: int) -> list[str]:
    """So many different addresses, every host among them."""
    chance = random.Random(seed)
    found = dict.fromkeys(f"https://{host}/" for host in HOSTS)
    while len(found) < count:
        parts = (chance.choice(part) for part in (SCHEMES, USERS, HOSTS, PORTS, PATHS))
        found["".join(parts)] = None
    return list(found)[:count]
