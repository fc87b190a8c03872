"""Look 500 references up at slow local services: how near to the ideal for the allowed rate.

    python -m tests.bench.reference_lookup --references 500 --latency 0.1 --rate 10 --rate 50

Six services answer on addresses of their own on this machine, each answer takes the latency, and each service may be
asked so many times a second. One reference in two carries a DOI, one in four a PMID, one in eight only words that fit,
and one in eight the words of a work that nobody has, about which everybody is asked. The ideal is what the service with
the most requests needs at its rate, and the time of the longest chain of questions about one reference. Then the same
again over a study, where every answer is stored, and once more with all answers known. It fails when a reference has
another verdict than it must have, when a service was asked faster than allowed, or when anything was asked twice.
"""

import argparse
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from medreview.references.model import Author, Identifier, Reference
from medreview.references.services.client import AnswerStore, MemoryAnswers, StudyAnswers
from medreview.references.services.look_up import look_up
from medreview.sources.fetching.network import Limits, Network, Services
from medreview.study import Study
from tests.support.bibliographic_formats import Work
from tests.support.bibliographic_servers import ALL, Bibliography, works_of

LONGEST_CHAIN = 8
"""Questions one after the other about a reference that nobody has, those for PubMed's records among them."""


def references_to(works: list[Work]) -> list[tuple[Reference, str]]:
    """References, and the verdict that each must have."""
    return [_reference(work, number) for number, work in enumerate(works)]


def _reference(work: Work, number: int) -> tuple[Reference, str]:
    told = Reference(
        text=work.title,
        kind="article",
        authors=tuple(Author(family, given[:1]) for family, given in work.authors),
        title=work.title,
        container=work.abbreviation,
        year=work.year,
        volume=work.volume,
        pages=work.pages,
    )
    if number % 2 == 0:
        return replace(told, identifiers=(Identifier("doi", work.doi),)), "match"
    if number % 4 == 1:
        return replace(told, identifiers=(Identifier("pmid", work.pmid),)), "match"
    if number % 8 == 3:
        return told, "match"
    odd = work.title.replace("ine against", "ol instead of").replace("invented trial", "unheard story")
    author = Author(f"Nobody{number}", "N")
    return replace(told, title=odd[::-1], authors=(author,), volume="999", pages="1"), "not_found"


def run(works: list[Work], latency: float, rate: float, answers: AnswerStore) -> tuple[float, Counter[str], float]:
    """Look all of them up: seconds, requests by service, and the shortest time between two requests to one service."""
    references = references_to(works)
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(Bibliography(works, latency=latency, host=f"127.0.0.{2 + place}"))
            for place, name in enumerate(ALL)
        }
        bases = {"eutils" if name == "pubmed" else name: _base(server, name) for name, server in servers.items()}
        network = Network(
            limits=Limits(host_delay=1 / rate),
            delays={f"127.0.0.{2 + place}": 1 / rate for place in range(len(ALL))},
            allow=frozenset((f"127.0.0.{2 + place}", server.port) for place, server in enumerate(servers.values())),
        )
        verdicts: dict[int, str] = {}
        began = time.monotonic()
        look_up(
            [reference for reference, _ in references],
            replace(Services(), **bases),
            network,
            answers,
            on_done=lambda place, check: verdicts.__setitem__(place, check.verdict),
        )
        took = time.monotonic() - began
        wrong = [place for place, (_, verdict) in enumerate(references) if verdicts.get(place) != verdict]
        assert not wrong, f"{len(wrong)} references have another verdict: {[verdicts.get(one) for one in wrong[:5]]}"
        asked = Counter({name: len(server.received) for name, server in servers.items()})
        paths = [path for server in servers.values() for path in server.paths()]
        assert len(paths) == len(set(paths)), "something was asked twice"
        gaps = [_rate(server) for server in servers.values() if len(server.received) > 20]
    return took, asked, max(gaps, default=0.0)


def _base(server: Bibliography, name: str) -> str:
    return f"http://{server.address}:{server.port}{server.paths_of[name]}"


def _rate(server: Bibliography) -> float:
    """Requests a second over all of them, as the server saw them."""
    times = sorted(request.at for request in server.received)
    return (len(times) - 1) / (times[-1] - times[0])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--references", type=int, default=500)
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--rate", type=float, action="append")
    given = parser.parse_args()
    works = works_of(given.references)
    for rate in given.rate or [10.0, 50.0]:
        with tempfile.TemporaryDirectory() as folder, Study.create(Path(folder) / "a.medreview") as study:
            for name, answers in (("in memory", MemoryAnswers()), ("in a study", StudyAnswers(study))):
                took, asked, fastest = run(works, given.latency, rate, answers)
                most = max(asked.values())
                ideal = (most - 1) / rate + given.latency * LONGEST_CHAIN
                assert fastest <= rate * 1.1, f"a service was asked {fastest:.1f} times a second"
                print(
                    f"{given.references} references at {rate:g}/s, {given.latency:g} s latency, {name}: {took:.1f} s, "
                    f"ideal {ideal:.1f} s, ratio {took / ideal:.2f}; requests: "
                    + ", ".join(f"{service} {count}" for service, count in asked.most_common())
                )
            took, asked, _ = run(works, given.latency, rate, answers)
            assert not asked.total(), "known answers were asked for again"
            print(f"    with every answer known: {took:.1f} s, no request")


if __name__ == "__main__":
    main()
