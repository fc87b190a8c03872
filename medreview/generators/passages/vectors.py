"""Vectors of sentences by their words (TF-IDF), and the cosines between them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log
from typing import Any, Final

import numpy as np

from medreview.evidence.terms import vocabulary

Matrix = np.ndarray[Any, np.dtype[np.float64]]

TF_IDF: Final = "TF-IDF"
"""The name under which measures by these vectors are stored."""


class WordWeights:
    """The weights of words by how many sentences of all texts have them: ln((1 + n) / (1 + having it)) + 1.

    Words are stems without stop words; synonyms are one word. A word that stands n times in a sentence has 1 + ln n.
    """

    def __init__(self, sentences: Iterable[str]) -> None:
        self._having: Counter[str] = Counter()
        self._sentences = 0
        for sentence in sentences:
            self._sentences += 1
            self._having.update(set(vocabulary().keys(sentence)))

    def vectors(self, sentences: Sequence[str]) -> Matrix:
        """A row for each sentence, of length 1; of zeros when it has no word that counts."""
        counts = [Counter(vocabulary().keys(sentence)) for sentence in sentences]
        columns = {word: at for at, word in enumerate(sorted({word for count in counts for word in count}))}
        made = np.zeros((len(sentences), max(1, len(columns))))
        for row, count in enumerate(counts):
            for word, times in count.items():
                weight = log((1 + self._sentences) / (1 + self._having[word])) + 1
                made[row, columns[word]] = (1 + log(times)) * weight
        return of_length_one(made)


def of_length_one(vectors: Matrix) -> Matrix:
    """The same directions; a row of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    divided: Matrix = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return divided


def cosines(vectors: Matrix) -> Matrix:
    """The cosine of each row with each, of rows of length 1 or 0."""
    return np.asarray(vectors @ vectors.T, dtype=np.float64)
