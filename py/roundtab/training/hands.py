"""Hands: the items of a round, dealt to the participants that train it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roundtab.data.queue import Item
from roundtab.records.ids import new_id
from roundtab.training.messages import Trained
from roundtab.training.roster import Member


@dataclass(frozen=True, slots=True)
class Hand:
    """What one participant was dealt for a round."""

    member: Member
    items: Sequence[Item]
    lease: str

    @property
    def examples(self) -> int:
        """Rows of the items."""
        return sum(len(item.rows) for item in self.items)


@dataclass(frozen=True, slots=True)
class Contribution:
    """A hand that was trained, and what its participant reported of it."""

    hand: Hand
    report: Trained

    @property
    def credit(self) -> dict[str, Any]:
        """What the commit of the round changes in the participant's record."""
        record = self.hand.member.record
        return {
            "state": "ready",
            "items_now": 0,
            "items_done": record.items_done + len(self.hand.items),
            "examples_done": record.examples_done + self.report.count,
            "refusals": 0,
            "problem": None,
            "action": None,
        }


def deal(items: Sequence[Item], members: Sequence[Member]) -> list[Hand]:
    """Deal `items` in turn to `members`, in the order of joining; who gets none has no hand."""
    hands = [Hand(member, items[i :: len(members)], new_id("lease")) for i, member in enumerate(members)]
    return [hand for hand in hands if hand.items]
