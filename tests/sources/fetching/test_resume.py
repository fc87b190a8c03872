"""A fetch that is killed half-way goes on where it was."""

from tests.bench.fetch_pages import Server, killed, stored


def test_a_killed_fetch_asks_for_no_stored_page_again_and_ends_whole(tmp_path):
    with Server(hosts=16, latency=0) as server:
        assert killed(server, 32, tmp_path) == []
    assert len(stored(tmp_path / "killed.medreview")) == 32
