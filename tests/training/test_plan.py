"""Totals and statistics of a run."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtab.data.queue import Queue
from roundtab.records.rounds import QueueState
from roundtab.training.plan import statistics, work_total


@given(st.integers(1, 60), st.integers(1, 70), st.integers(1, 12), st.none() | st.integers(1, 40))
def test_the_total_of_a_job_is_what_its_queue_deals(rows: int, batch: int, rounds: int, per_round: int | None) -> None:
    """Example for example, whatever part of a pass a round is."""
    queue = Queue(rows, batch, QueueState(seed=1, pass_=0, position=0))
    dealt = sum(len(item.rows) for _ in range(rounds) for item in queue.draw(per_round or queue.items_per_pass))
    assert work_total(rows, batch, rounds, per_round) == dealt


def test_statistics_make_columns_comparable() -> None:
    """Mean 0 and deviation 1 after standardising, in float32."""
    features = np.random.default_rng(1).normal([5, -1e4, 1e-3], [1, 300, 1e-4], (500, 3)).astype(np.float32)
    mean, scale = statistics(features)
    assert (mean.dtype, scale.dtype) == (np.float32, np.float32)
    standard = (features - mean) / scale
    np.testing.assert_allclose(standard.mean(axis=0, dtype=np.float64), 0, atol=1e-4)
    np.testing.assert_allclose(standard.std(axis=0, dtype=np.float64), 1, rtol=1e-4)


@given(st.floats(-(2.0**100), 2.0**100, width=32), st.integers(1, 50))
def test_a_constant_column_becomes_zeros(value: float, rows: int) -> None:
    """It tells nothing, and nothing is divided by zero."""
    features = np.full((rows, 1), value, np.float32)
    mean, scale = statistics(features)
    standard = (features - mean) / scale
    assert np.isfinite(standard).all()
    assert scale[0] == 1 or np.abs(standard).max() <= 1
