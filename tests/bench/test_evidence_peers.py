"""The peers that the rules are held against."""

from tests.bench.evidence_fit.cases import Case
from tests.bench.evidence_peers import Frequencies, sentences, token_set


def test_each_peer_likes_a_sentence_that_says_it_better_than_one_that_does_not() -> None:
    page = "Warfarin prevents stroke in adults. Oranges are sweet.\nThe shop sells green oranges"
    said, unsaid = (Case("set", text, page, [], [], "", []) for text in ("Warfarin prevents stroke.", "Bread is sold."))
    words = Frequencies([said, unsaid])

    assert len(sentences(page)) == 3
    for method in (token_set, words.tf_idf, words.bm25):
        assert method(said) > method(unsaid)
    assert 0 == words.bm25(unsaid, share=True) < words.bm25(said, share=True) <= 1
