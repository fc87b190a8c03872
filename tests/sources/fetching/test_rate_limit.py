"""Politeness, measured where the turns are handed out."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

from medreview.sources.fetching.network import Limits
from medreview.sources.fetching.single_request import RateLimiter, advertised_delay, retry_after


async def _take_turns(limiter, hosts, begun, running, inside=0.0):
    """Take a turn for each host named, all at once; note when each began and how many ran."""

    async def one(host):
        async with limiter.slot(host):
            # The moment from which the next turn is counted: a busy machine may stop this code before it sees a clock.
            begun.setdefault(host, []).append(limiter._host(host).last_start)
            running.append(host)
            now.append(host)
            most[host] = max(most.get(host, 0), now.count(host))
            most["all"] = max(most.get("all", 0), len(now))
            await asyncio.sleep(inside)
            now.remove(host)

    now, most = [], {}
    await asyncio.gather(*(one(host) for host in hosts))
    return most


async def test_turns_of_one_host_are_apart_and_two_at_most():
    begun = {}
    limiter = RateLimiter(Limits(host_delay=0.03, per_host=2))
    most = await _take_turns(limiter, ["a"] * 5 + ["b"], begun, [], inside=0.05)
    assert min(later - earlier for earlier, later in pairwise(begun["a"])) >= 0.03
    assert most["a"] == 2
    assert begun["b"][0] <= begun["a"][1]


async def test_places_in_all_are_bounded():
    limiter = RateLimiter(Limits(host_delay=0.0, concurrency=3))
    most = await _take_turns(limiter, [f"h{number}" for number in range(12)], {}, [], inside=0.005)
    assert most["all"] == 3


async def test_a_waiting_host_takes_no_place():
    order = []
    limiter = RateLimiter(Limits(host_delay=0.0, concurrency=1))
    limiter.pause("slow", 0.1)
    await _take_turns(limiter, ["slow", "quick", "quick"], {}, order)
    assert order == ["quick", "quick", "slow"]


async def test_a_hold_is_for_the_whole_host_and_the_longer_one_stays():
    begun = {}
    limiter = RateLimiter(Limits(host_delay=0.0))
    start = asyncio.get_running_loop().time()
    limiter.pause("a", 0.1)
    limiter.pause("a", 0.01)
    await _take_turns(limiter, ["a", "a", "a"], begun, [])
    assert min(begun["a"]) - start >= 0.1


async def test_single_hosts_have_a_delay_of_their_own():
    begun = {}
    limiter = RateLimiter(Limits(host_delay=0.0), {"Slow.example": 0.05})
    await _take_turns(limiter, ["slow.example"] * 3 + ["quick.example"] * 3, begun, [])
    assert min(later - earlier for earlier, later in pairwise(begun["slow.example"])) >= 0.05
    assert begun["quick.example"][-1] < begun["slow.example"][1]


async def test_one_host_in_two_spellings_is_one_host():
    begun = {}
    limiter = RateLimiter(Limits(host_delay=0.05))
    await _take_turns(limiter, ["a.example", "A.EXAMPLE", "a.example."], begun, [])
    moments = sorted(moment for (moment,) in begun.values())
    assert min(later - earlier for earlier, later in pairwise(moments)) >= 0.05


async def test_a_host_can_be_slowed_down_and_its_last_start_counts():
    begun = {}
    limiter = RateLimiter(Limits(host_delay=0.0))
    await _take_turns(limiter, ["a"], begun, [])
    limiter.slow_down("a", 0.05)
    limiter.slow_down("a", 0.01)
    await _take_turns(limiter, ["a", "a"], begun, [])
    assert min(later - earlier for earlier, later in pairwise(begun["a"])) >= 0.05


async def test_a_cancelled_turn_gives_its_place_back():
    limiter = RateLimiter(Limits(host_delay=0.0, concurrency=1, per_host=1))

    async def forever():
        async with limiter.slot("a"):
            await asyncio.Event().wait()

    task = asyncio.create_task(forever())
    waiting = asyncio.create_task(forever())
    await asyncio.sleep(0)
    waiting.cancel()
    task.cancel()
    await asyncio.gather(task, waiting, return_exceptions=True)
    async with asyncio.timeout(5), limiter.slot("a"):
        pass


def test_retry_after_header_forms():
    assert retry_after("120") == 120.0
    assert retry_after("") is None
    assert retry_after("soon") is None
    later = retry_after(format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True))
    assert later is not None
    assert 80 < later <= 90
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0


def test_a_rate_that_a_server_names_is_read_in_its_own_form_only():
    assert advertised_delay("50", "1s") == 0.02
    assert advertised_delay(" 3000", "60s ") == 0.02
    for odd in (
        ("", ""),
        ("3", ""),
        ("0", "1s"),
        ("3", "0s"),
        ("-1", "1s"),
        ("many", "1s"),
        ("3", "1h"),
        ("9" * 99, "1s"),
    ):
        assert advertised_delay(*odd) is None
