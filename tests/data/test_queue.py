"""The queue of a job: a seed decides every item, with or without a break in the middle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.data.queue import Item, Queue
from roundtab.errors import InternalError, InvalidData
from roundtab.records.codec import from_plain, to_plain
from roundtab.records.rounds import QueueState

START = QueueState(seed=7, pass_=0, position=0)


def flat(items: list[Item]) -> list[int]:
    """The rows of `items` in order."""
    return [int(row) for item in items for row in item.rows]


def test_a_pass_covers_every_row_once_in_the_order_of_its_permutation() -> None:
    """The last item may be shorter."""
    queue = Queue(10, 4, START)
    items = queue.draw(queue.items_per_pass)
    assert [item.id for item in items] == ["0:0", "0:1", "0:2"]
    assert [len(item.rows) for item in items] == [4, 4, 2]
    assert flat(items) == np.random.default_rng([7, 0]).permutation(10).tolist()


def test_past_the_end_of_a_pass_the_next_one_begins() -> None:
    """In another order."""
    items = Queue(4, 2, START).draw(5)
    assert [item.id for item in items] == ["0:0", "0:1", "1:0", "1:1", "2:0"]
    assert sorted(flat(items[2:4])) == [0, 1, 2, 3]
    assert flat(items[2:4]) == np.random.default_rng([7, 1]).permutation(4).tolist()


def test_returned_items_are_drawn_first_and_the_oldest_before_others() -> None:
    """Whoever returns them in whatever order."""
    queue = Queue(10, 1, START)
    items = queue.draw(6)
    queue.give_back([items[4], items[1]])
    queue.give_back([items[3], items[1]])
    assert queue.state.returned == ("0:1", "0:3", "0:4")
    assert [item.id for item in queue.draw(4)] == ["0:1", "0:3", "0:4", "0:6"]


def test_items_returned_in_the_pass_before_still_have_their_rows() -> None:
    """Also when the permutation of that pass has to be made again."""
    queue = Queue(4, 2, START)
    first = queue.draw(1)
    queue.draw(7)
    queue.give_back(first)
    again = queue.draw(1)
    assert again[0].id == "0:0"
    assert flat(again) == flat(first)
    assert flat([queue.item("3:1"), queue.item("0:0")]) == flat([queue.item("3:1"), *first])


@given(
    st.integers(1, 40),
    st.integers(1, 50),
    st.integers(0, 2**32 - 1),
    st.lists(st.tuples(st.integers(0, 12), st.sets(st.integers(0, 11)), st.booleans())),
)
def test_a_queue_restored_from_its_state_draws_what_the_first_would_have_drawn(
    rows: int, batch_size: int, seed: int, steps: list[tuple[int, set[int], bool]]
) -> None:
    """After any draws and returns, and after the state went through JSON, nothing is lost and nothing comes twice."""
    queue = Queue(rows, batch_size, QueueState(seed=seed, pass_=0, position=0))
    restored = Queue(rows, batch_size, queue.state)
    kept: list[str] = []
    for count, returned, restart in steps:
        items = queue.draw(count)
        assert [(each.id, flat([each])) for each in items] == [(each.id, flat([each])) for each in restored.draw(count)]
        back = [item for place, item in enumerate(items) if place in returned]
        kept += [item.id for item in items if item not in back]
        queue.give_back(back)
        restored.give_back(reversed(back))
        assert queue.state == restored.state
        if restart:
            restored = Queue(rows, batch_size, from_plain(QueueState, to_plain(queue.state)))
    everything = kept + list(queue.state.returned)
    assert len(set(everything)) == len(everything)
    number, position = queue.state.pass_, queue.state.position
    assert len(everything) == number * queue.items_per_pass + position


@pytest.mark.parametrize(
    "state",
    [
        QueueState(seed=1, pass_=0, position=4),
        QueueState(seed=1, pass_=-1, position=0),
        QueueState(seed=1, pass_=0, position=-1),
        QueueState(seed=1, pass_=5, position=0, returned=("0:3",)),
        QueueState(seed=1, pass_=0, position=2, returned=("x",)),
        QueueState(seed=1, pass_=0, position=2, returned=("0:-1",)),
    ],
)
def test_a_state_of_other_data_is_refused(state: QueueState) -> None:
    """A position behind the end means that rows or batch size changed."""
    with pytest.raises(InvalidData):
        Queue(6, 2, state)


def test_an_item_that_was_never_drawn_cannot_come_back() -> None:
    """It would be trained twice."""
    other = Queue(10, 1, START)
    with pytest.raises(InternalError, match="never drawn"):
        Queue(10, 1, START).give_back(other.draw(1))


@pytest.mark.parametrize(("rows", "batch_size"), [(0, 1), (1, 0)])
def test_a_queue_needs_rows(rows: int, batch_size: int) -> None:
    """Without any it could never draw."""
    with pytest.raises(InvalidData):
        Queue(rows, batch_size, START)
