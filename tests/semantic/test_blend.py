"""The triage score with a model of meaning."""

from collections.abc import Sequence

import numpy as np
import pytest

from medreview.errors import UserError
from medreview.evidence.assess import assess
from medreview.evidence.passage_ranking import SourceIndex
from medreview.semantic.minilm import MiniLM
from medreview.semantic.similarity import MOST, Similarity, blend, passages_for, scale_of
from tests.support.packaged_encoder import needs_packaged_encoder

pytestmark = needs_packaged_encoder

SOURCE = (
    "The trial enrolled 400 adults. The incidence of myocardial infarction declined by a fifth. "
    "Participants came from three countries. The library was closed."
)


@pytest.fixture(scope="module")
def similarity():
    return Similarity(MiniLM())


class Constant:
    """An encoder that takes all texts for the same."""

    name = "constant 1"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.tile(np.array([0.6, 0.8], dtype=np.float32), (len(texts), 1))


def scored(similarity: Similarity, statement: str, source: str) -> float:
    index = SourceIndex(source)
    passages = [source[span.start : span.end] for span in passages_for(statement, index)]
    return blend(assess(statement, index), similarity.of([(statement, passages)])[0])


def test_a_paraphrase_is_read_later_than_another_subject_with_as_few_shared_words(similarity):
    paraphrase, other = "Volunteers lived all over the globe.", "Prices soared all over the globe."
    index = SourceIndex(SOURCE)

    assert assess(paraphrase, index).unsupported == assess(other, index).unsupported
    assert scored(similarity, paraphrase, SOURCE) < scored(similarity, other, SOURCE)


def test_a_clash_still_puts_a_statement_first(similarity):
    source = "Start with 500 mg of metformin twice daily. Take it with food."

    assert scored(similarity, "Start with 850 mg of metformin twice daily.", source) > 0.1 + scored(
        similarity, "Start with 500 mg of metformin twice daily.", source
    )


def test_the_model_is_asked_about_the_best_passages_with_their_neighbours_and_then_about_the_first_ones():
    source = " ".join(f"Sentence number {number} says nothing." for number in range(30))
    source = source.replace("number 20 says nothing", "number 20 calls metformin cheap")
    index = SourceIndex(source)
    chosen = [source[span.start : span.end] for span in passages_for("Metformin costs little.", index)]

    assert [sentence.split()[2] for sentence in chosen] == ["0", "1", "2", "3", "4", "19", "20", "21"]
    assert len(chosen) == MOST
    assert passages_for("Metformin costs little.", SourceIndex("")) == ()


def test_each_encoder_has_a_scale_of_its_own_on_which_unrelated_texts_are_0_and_paraphrases_1(similarity):
    class Stretched:
        """The packaged encoder, as if all its texts had something in common."""

        name = "stretched 1"

        def encode(self, texts: Sequence[str]) -> np.ndarray:
            vectors = MiniLM().encode(texts)
            more = np.hstack([vectors, np.full((len(vectors), 1), 2.0, dtype=np.float32)])
            return more / np.linalg.norm(more, axis=1, keepdims=True)

    near = ("Heart attacks became rarer.", ["Myocardial infarction became less frequent.", "Spring began."])
    far = ("Heart attacks became rarer.", ["The library is closed."])
    plain, stretched = (Similarity(encoder).of([near, far]) for encoder in (MiniLM(), Stretched()))

    assert plain[0].best > 0.8
    assert abs(plain[1].best) < 0.3
    assert [found.best for found in plain] == pytest.approx([found.best for found in stretched], abs=1e-4)


def test_what_two_neighbours_say_together_is_nearer_than_either_of_them(similarity):
    statement = "Metformin is cheap, but it may cause diarrhoea."
    (found,) = similarity.of([(statement, ["Metformin is cheap.", "It may cause diarrhoea."])])

    assert found.around > found.best > 0


def test_each_word_of_a_statement_is_held_against_the_nearest_of_all_passages(similarity):
    parts = ["Metformin is cheap.", "It may cause diarrhoea."]
    statement = "Metformin may cause diarrhoea."
    both, one, other = similarity.of([(statement, parts), (statement, parts[:1]), (statement, ["Spring began."])])

    assert both.words > one.words > other.words
    assert both.words > 0.8
    assert both.near == pytest.approx((both.words + (both.best + both.around) / 2) / 2)


def test_without_vectors_of_words_the_passages_alone_say_how_near_it_is():
    class BySentence:
        name = "by sentence 1"

        def encode(self, texts: Sequence[str]) -> np.ndarray:
            return MiniLM().encode(texts)

    (found,) = Similarity(BySentence()).of([("Metformin is cheap.", ["It costs little.", "Spring began."])])

    assert found.words is None
    assert found.near == pytest.approx((found.best + found.around) / 2)


def test_an_encoder_that_tells_nothing_apart_is_refused():
    with pytest.raises(UserError, match="constant 1 cannot tell paraphrases from unrelated sentences"):
        scale_of(Constant())


def test_a_text_that_comes_again_is_not_encoded_again():
    class Counting(MiniLM):
        asked = 0

        def encode_words(self, texts: Sequence[str]) -> list[np.ndarray]:
            self.asked += len(texts)
            return super().encode_words(texts)

    encoder = Counting()
    similarity = Similarity(encoder)
    (first,) = similarity.of([("Metformin is cheap.", ["It costs little.", "Spring began."])])
    before = encoder.asked
    again, other = similarity.of([("Metformin is cheap.", ["It costs little.", "Spring began."]), ("Ice.", ["Snow."])])

    assert again == first
    assert other != first
    assert encoder.asked == before + 2


def test_a_scorer_is_asked_statement_by_statement_and_its_numbers_are_taken_as_they_are():
    class Overlap:
        name = "overlap 1"

        def score(self, statement: str, passages: Sequence[str]) -> list[float]:
            return [float(statement in passage) for passage in passages]

    assert Similarity(Overlap()).of([("a", ["a b", "c"]), ("d", ["e"])]) == [(1.0, 1.0, None), (0.0, 0.0, None)]
