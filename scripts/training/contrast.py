"""Pairs as bags of pieces to a table: a question is drawn to its text, and away from the other texts.

The loss is the symmetric InfoNCE (van den Oord et al., 2018; Radford et al., 2021) over the pairs of a batch. A batch
is made of groups from one package, so that many of the others are near. Gradients are written out, and rows that a
batch does not touch are not updated (Adam: Kingma and Ba, 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from coderag.encoders.encoder import Array
from scripts.training.bags import QUESTION_WAYS, Bags

__all__ = ["Recipe", "Table", "similarities", "train"]

SHORT_REST = 5  # pieces; less says too little
SHORT_NAME = 2
FORBIDDEN = -1e9  # what the logit of another pair with the same question becomes
ALMOST_NOTHING = 1e-9
BETA, BETA_SQUARES = 0.9, 0.99
LEAST_RATE = 0.02  # of the rate, at the end
SCALE_RATE = 0.5  # the rate of the questions' weights, over that of the rows
SCALE_RANGE = (0.05, 5.0)
TELL_EVERY = 100  # steps


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a table is trained."""

    dimensions: int = 256
    epochs: float = 4
    batch: int = 2048
    group: int = 32  # neighbours in a batch that are of one package
    rate: float = 8e-3
    warm_up: int = 30  # steps
    scale: float = 20  # of cosines, before the softmax
    nameless: float = 0.15  # share of texts without their name
    documented: float = 0.3  # share of texts with the rest of their documentation
    rest: float = 0.15  # share of questions that are the rest of a documentation
    first: float = 0.5  # share of their texts that have its first sentence
    styled: float = 0.2  # share of questions in other words, or of commits
    named: float = 0.1  # share of questions that are the name alone
    seed: int = 0


@dataclass(slots=True)
class Table:
    """Rows for pieces, and what each counts in a question beside its length."""

    rows: Array  # f32[pieces, dimensions]
    scales: Array  # f32[pieces]


@dataclass(slots=True)
class _Moments:
    mean: Array
    square: Array

    @classmethod
    def like(cls, values: Array) -> _Moments:
        return cls(np.zeros_like(values), np.zeros_like(values))

    def step(self, at: Array, gradient: Array, time: int) -> Array:
        """Return how far Adam goes, for a rate of one."""
        mean = BETA * self.mean[at] + (1 - BETA) * gradient
        square = BETA_SQUARES * self.square[at] + (1 - BETA_SQUARES) * gradient * gradient
        self.mean[at], self.square[at] = mean, square
        mean /= 1 - BETA**time
        found: Array = mean / (np.sqrt(square / (1 - BETA_SQUARES**time)) + ALMOST_NOTHING)
        return found


def train(
    bags: Bags, *, package: Array, question: Array, recipe: Recipe, told: Callable[[str, Table], object]
) -> Table:
    """Return the trained table.

    `package` and `question` number each pair's package and question: pairs with one question are no contrast. `told`
    hears of the progress.
    """
    chance = np.random.default_rng(recipe.seed)
    table = _beginning(bags, recipe, chance)
    rows, scales = _Moments.like(table.rows), _Moments.like(table.scales)
    steps = int(recipe.epochs * (bags.pairs // recipe.batch))
    losses: list[float] = []
    for time, chosen in enumerate(_batches(package, recipe, chance, steps=steps), 1):
        rate = recipe.rate * min(1, time / recipe.warm_up) * max(LEAST_RATE, 1 - time / steps)
        texts, questions = _ways(bags, chosen, recipe=recipe, chance=chance)
        loss, text_gradient, question_gradient = _contrast(
            table, texts, questions, same=question[chosen], scale=recipe.scale
        )
        losses.append(loss)
        _update(
            table, rows, scales, texts=texts, questions=questions, gradients=(text_gradient, question_gradient),
            rate=rate, time=time,
        )  # fmt: skip
        if time % TELL_EVERY == 0 or time == steps:
            told(f"step {time} of {steps}, loss {np.mean(losses[-TELL_EVERY:]):.4f}", table)
    return table


def similarities(table: Table, bags: Bags) -> Array:
    """Return the cosines of questions and texts, f32[questions, texts]."""
    texts, _ = _unit(bags.texts @ table.rows)
    questions, _ = _unit(bags.questions @ (table.rows * table.scales[:, None]))
    found: Array = questions @ texts.T
    return found


def _beginning(bags: Bags, recipe: Recipe, chance: np.random.Generator) -> Table:
    """Return rows of random directions, as long as their piece is rare."""
    pieces = bags.texts.shape[1]
    ways = slice(bags.pairs, 2 * bags.pairs)  # texts without their name
    seen = np.bincount(bags.texts[ways].indices, minlength=pieces) + np.bincount(
        bags.questions.indices, minlength=pieces
    )
    rarity = np.log((bags.pairs + 1) / (seen / 2 + 1)).astype(np.float32)
    rows, _ = _unit(chance.standard_normal((pieces, recipe.dimensions)).astype(np.float32))
    return Table(rows * (rarity / rarity.mean())[:, None], np.ones(pieces, dtype=np.float32))


def _batches(package: Array, recipe: Recipe, chance: np.random.Generator, *, steps: int) -> Iterator[Array]:
    made = 0
    while made < steps:
        order = chance.permutation(len(package))
        order = order[np.argsort(package[order], kind="stable")]
        groups = [
            part[begin : begin + recipe.group]
            for part in np.split(order, np.flatnonzero(np.diff(package[order])) + 1)
            for begin in range(0, len(part), recipe.group)
        ]
        flat = np.concatenate([groups[position] for position in chance.permutation(len(groups))])
        for begin in range(0, len(flat) - recipe.batch + 1, recipe.batch):
            if made == steps:
                return
            made += 1
            yield flat[begin : begin + recipe.batch]


def _ways(
    bags: Bags, chosen: Array, *, recipe: Recipe, chance: np.random.Generator
) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Return a batch's texts and questions, each pair's in one of their ways."""
    pairs, size = bags.pairs, len(chosen)
    sizes = np.diff(bags.questions.indptr).reshape(QUESTION_WAYS, pairs)[:, chosen]
    drawn = chance.random(size)
    rest = (drawn < recipe.rest) & (sizes[1] >= SHORT_REST)
    named = ~rest & (drawn > 1 - recipe.named) & (sizes[2] >= SHORT_NAME)
    styled = ~rest & ~named & (drawn < recipe.rest + recipe.styled)
    question = np.select([styled, rest, named], [3, 1, 2], 0)
    drawn = chance.random(size)
    nameless = drawn < recipe.nameless
    documented = ~nameless & (drawn < recipe.nameless + recipe.documented) & ~rest
    first = rest & (chance.random(size) < recipe.first)
    text = np.select([named, first, nameless, documented], [1, 3, 1, 2], 0)
    return bags.texts[chosen + text * pairs], bags.questions[chosen + question * pairs]


def _contrast(
    table: Table, texts: sparse.csr_matrix, questions: sparse.csr_matrix, *, same: Array, scale: float
) -> tuple[float, Array, Array]:
    """Return the loss, and its gradients by the sums of rows of texts and of questions."""
    text, text_length = _unit(texts @ table.rows)
    question, question_length = _unit(questions @ (table.rows * table.scales[:, None]))
    size = len(same)
    diagonal = np.arange(size)
    logits = (question @ text.T) * scale
    equal = same[:, None] == same[None, :]
    equal[diagonal, diagonal] = False
    logits[equal] = FORBIDDEN
    by_question, by_text = _softmax(logits, axis=1), _softmax(logits, axis=0)
    loss = -float(np.log(by_question[diagonal, diagonal] + ALMOST_NOTHING).mean())
    gradient = by_question + by_text
    gradient[diagonal, diagonal] -= 2
    gradient *= scale / (2 * size)
    return (
        loss,
        _through_unit(gradient.T @ question, text, text_length),
        _through_unit(gradient @ text, question, question_length),
    )


def _update(
    table: Table, rows: _Moments, scales: _Moments, *, texts: sparse.csr_matrix, questions: sparse.csr_matrix,
    gradients: tuple[Array, Array], rate: float, time: int,
) -> None:  # fmt: skip
    """Move the rows and scales that a batch touches."""
    text_gradient, question_gradient = gradients
    of_text = np.repeat(np.arange(questions.shape[0]), np.diff(questions.indptr))
    shares = questions.data * np.einsum("ij,ij->i", question_gradient[of_text], table.rows[questions.indices])
    by_scale = np.bincount(questions.indices, weights=shares, minlength=len(table.scales)).astype(np.float32)
    scaled = questions.copy()
    scaled.data = scaled.data * table.scales[scaled.indices]
    both = sparse.vstack([texts, scaled], format="csr")
    touched, places = np.unique(both.indices, return_inverse=True)
    narrow = sparse.csr_matrix((both.data, places, both.indptr), shape=(both.shape[0], len(touched)))
    by_row = narrow.T @ np.concatenate([text_gradient, question_gradient])
    asked = np.unique(questions.indices)
    moved = table.scales[asked] - SCALE_RATE * rate * scales.step(asked, by_scale[asked], time)
    table.scales[asked] = np.clip(moved, *SCALE_RANGE)
    table.rows[touched] -= rate * rows.step(touched, by_row, time)


def _unit(vectors: Array) -> tuple[Array, Array]:
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), ALMOST_NOTHING)
    return vectors / lengths, lengths


def _through_unit(gradient: Array, unit: Array, lengths: Array) -> Array:
    found: Array = (gradient - unit * (gradient * unit).sum(axis=1, keepdims=True)) / lengths
    return found


def _softmax(logits: Array, *, axis: int) -> Array:
    powers = np.exp(logits - logits.max(axis=axis, keepdims=True))
    found: Array = powers / powers.sum(axis=axis, keepdims=True)
    return found
