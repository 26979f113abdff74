"""Members: questions and answers, and leaving for good."""

from __future__ import annotations

import asyncio

import pytest
from training.world import nothing_left, until

from roundtab.clock import SystemClock
from roundtab.errors import Conflict, ParticipantLost, TrainingFailed
from roundtab.records.jobs import Participant
from roundtab.training.messages import Collect, Evaluated, Failed, Progress, Ready, Report, StopTask, decode, encode
from roundtab.training.roster import Member, Roster
from roundtab.training.transport import MemoryTransport, Message, memory_pair


def evaluated(lease: str) -> Evaluated:
    """Some answer."""
    return Evaluated(lease=lease, count=1, metrics={})


class Floor:
    """A roster with one member, and the participant's end of its channel."""

    def __init__(self) -> None:
        self.told: list[Participant] = []
        self.roster = Roster(SystemClock(), self.told.append)
        ours, self.channel = memory_pair()
        self.member: Member = self.roster.join("One", ours)

    async def say(self, *reports: Report) -> None:
        """What the participant says."""
        for report in reports:
            await self.channel.send(encode(report))
        for _ in range(5):
            await asyncio.sleep(0)

    async def ask(self, lease: str, within: float = 5) -> asyncio.Task[object]:
        """A question under way: it is sent, and its answer waited for."""
        question = asyncio.ensure_future(self.member.ask(Collect(lease=lease), within=within))
        question.add_done_callback(lambda _: None)  # Pyodide calls an error unheard as soon as no callback waits for it
        await asyncio.sleep(0)
        return question


async def test_a_member_is_starting_until_it_says_that_it_is_ready() -> None:
    """Only then can it be given tasks."""
    async with nothing_left():
        floor = Floor()
        assert floor.roster.starting()
        assert not floor.roster.connected()
        await floor.say(Ready())
        assert floor.roster.connected() == [floor.member]
        assert [each.state for each in floor.told] == ["starting", "ready"]
        await floor.roster.close()


async def test_an_answer_goes_to_the_question_with_its_lease() -> None:
    """In any order; answers to nothing, as of tasks that were taken back, are ignored."""
    async with nothing_left():
        floor = Floor()
        one, other = await floor.ask("1"), await floor.ask("2")
        await floor.say(
            Ready(), evaluated("0"), Progress(lease="1", done=3), evaluated("2"), evaluated("1"), evaluated("1")
        )
        assert (await one, await other) == (evaluated("1"), evaluated("2"))
        await floor.roster.close()


async def test_who_asks_hears_how_far_the_answer_is() -> None:
    """Of that question alone, and only while it is open."""
    async with nothing_left():
        floor, heard = Floor(), list[int]()
        asking = floor.member.ask(Collect(lease="1"), within=5, heard=heard.append)
        question = asyncio.ensure_future(asking)
        await asyncio.sleep(0)
        await floor.say(Ready(), Progress(lease="1", done=3), Progress(lease="2", done=9), Progress(lease="1", done=7))
        await floor.say(evaluated("1"), Progress(lease="1", done=8))
        assert await question == evaluated("1")
        await floor.say(Progress(lease="1", done=9))
        assert heard[:2] == [3, 7]
        assert 9 not in heard
        await floor.roster.close()


async def test_a_reported_failure_is_raised_with_its_words() -> None:
    """Problem and action of the participant."""
    async with nothing_left():
        floor = Floor()
        question = await floor.ask("1")
        await floor.say(Ready(), Failed(lease="1", problem="No memory.", action="Close tabs."))
        with pytest.raises(TrainingFailed, match="No memory") as failed:
            await question
        assert failed.value.action == "Close tabs."
        await floor.roster.close()


async def test_no_answer_in_time_takes_the_task_back() -> None:
    """The participant stays, and the late answer is ignored."""
    async with nothing_left():
        floor = Floor()
        await floor.say(Ready())
        with pytest.raises(ParticipantLost, match=r"No answer within 0\.01 s"):
            await (await floor.ask("1", within=0.01))
        orders = [decode(await floor.channel.receive()) for _ in range(2)]
        assert orders == [Collect(lease="1"), StopTask(lease="1")]
        await floor.say(evaluated("1"))
        assert floor.member.connected
        await floor.roster.close()


@pytest.mark.parametrize("text", [None, "nonsense", '{"kind": "evaluated"}'])
async def test_all_questions_of_a_lost_participant_are_answered_by_its_loss(text: str | None) -> None:
    """Whether the channel closed or what came through it was no message."""
    async with nothing_left():
        floor = Floor()
        questions = [await floor.ask("1"), await floor.ask("2")]
        await floor.say(Ready())
        if text is None:
            floor.channel.close()
        else:
            await floor.channel.send(Message(text))
        for question in questions:
            with pytest.raises(ParticipantLost):
                await question
        assert floor.member.record.state == "left"
        assert floor.member.record.problem
        with pytest.raises(ParticipantLost):
            await (await floor.ask("3"))
        await floor.roster.close()


async def test_one_who_has_left_never_comes_back() -> None:
    """What was still under way changes neither state nor reason; what it did still counts."""
    async with nothing_left():
        floor = Floor()
        await floor.say(Ready())
        floor.member.leave("It failed.", "Look.")
        await floor.say(Ready(), Progress(lease="1", done=1))
        floor.member.note(state="ready", problem=None, refusals=0, items_done=6, examples_done=24)
        record = floor.member.record
        assert (record.state, record.problem, record.action) == ("left", "It failed.", "Look.")
        assert (record.items_done, record.examples_done) == (6, 24)
        assert not floor.roster.connected()
        await floor.roster.close()


async def test_whoever_waits_for_a_change_hears_of_it() -> None:
    """Of the next one, not of those before."""
    async with nothing_left():
        floor = Floor()
        waiting = asyncio.ensure_future(floor.roster.change())
        await asyncio.sleep(0)
        assert not waiting.done()
        await floor.say(Ready())
        await until(waiting.done)
        await floor.roster.close()


async def test_nobody_joins_a_roster_that_is_closed() -> None:
    """The newcomer is sent away, not forgotten."""
    async with nothing_left():
        floor = Floor()
        await floor.roster.close()
        ours, theirs = memory_pair()
        with pytest.raises(Conflict):
            floor.roster.join("Two", ours)
        with pytest.raises(ParticipantLost):
            await theirs.receive()


async def test_a_participant_lost_while_an_order_is_sent_leaves_no_error_unheard() -> None:
    """The question fails once, by the send."""

    class Slow(MemoryTransport):
        async def send(self, message: Message) -> None:
            await asyncio.sleep(0.01)
            raise ParticipantLost("Gone.", "Add another.")

    async with nothing_left():
        inbox: asyncio.Queue[Message | None] = asyncio.Queue()
        roster = Roster(SystemClock(), lambda _: None)
        member = roster.join("One", Slow(inbox, asyncio.Queue()))
        question = asyncio.ensure_future(member.ask(Collect(lease="1"), within=5))
        await asyncio.sleep(0)
        inbox.put_nowait(None)
        with pytest.raises(ParticipantLost, match="Gone"):
            await question
        await roster.close()
