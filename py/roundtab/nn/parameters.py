"""The weights of a model as one vector: an optimizer takes its step with a few numpy calls, whatever the layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from roundtab.nn.kernels import Array


class Parameters:
    """A float32 vector and, by name, views of it in the shape of each tensor, in the order of `names`."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], names: Sequence[str]) -> None:
        sizes = [int(np.prod(shapes[name])) for name in names]
        ends = np.cumsum(sizes, dtype=np.int64).tolist()
        self.vector: Array = np.zeros(sum(sizes), np.float32)
        self.views: dict[str, Array] = {
            name: self.vector[end - size : end].reshape(shapes[name])
            for name, size, end in zip(names, sizes, ends, strict=True)
        }

    @classmethod
    def copy(cls, weights: Mapping[str, Array], names: Sequence[str]) -> Parameters:
        """A copy of `weights`."""
        made = cls({name: weights[name].shape for name in names}, names)
        for name, view in made.views.items():
            view[...] = weights[name]
        return made

    def zeros(self) -> Parameters:
        """Zeros in the same shapes, for gradients."""
        return Parameters({name: view.shape for name, view in self.views.items()}, list(self.views))
