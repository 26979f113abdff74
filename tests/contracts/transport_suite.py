"""What every `Transport` keeps to. A rule takes the two ends of a new channel."""

from __future__ import annotations

import asyncio

import pytest

from roundtab.errors import ParticipantLost
from roundtab.training.transport import Message, Transport


async def messages_keep_their_order(one: Transport, other: Transport) -> None:
    """In both directions at once."""
    for number in range(100):
        await one.send(Message(f"to other {number}"))
        await other.send(Message(f"to one {number}"))
    assert [(await other.receive()).text for _ in range(100)] == [f"to other {number}" for number in range(100)]
    assert [(await one.receive()).text for _ in range(100)] == [f"to one {number}" for number in range(100)]


async def text_arrives_as_it_was_sent(one: Transport, other: Transport) -> None:
    """Of any length and in any script."""
    for text in ("", "Größe, 数, 🙂\n\0", "x" * 1_000_000):
        await one.send(Message(text))
        assert (await other.receive()).text == text


async def bytes_arrive_as_they_were_sent(one: Transport, other: Transport) -> None:
    """Several buffers of a message keep their order, also where one is empty or a part of a larger one."""
    block = bytes(range(256)) * 4
    await one.send(Message("{}", (block, b"", memoryview(block)[3:7])))
    received = (await other.receive()).buffers
    assert [bytes(each) for each in received] == [block, b"", block[3:7]]


async def a_buffer_of_10_mib_passes(one: Transport, other: Transport) -> None:
    """There and back again."""
    data = bytes(range(256)) * (10 * 4096)
    await one.send(Message("{}", (data,)))
    await other.send(await other.receive())
    (back,) = (await one.receive()).buffers
    assert bytes(back) == data


async def what_was_sent_does_not_change_with_the_buffer_it_came_from(one: Transport, other: Transport) -> None:
    """The sender may use its buffer again at once, and finds it as it left it."""
    buffer = bytearray(b"first")
    await one.send(Message("{}", (memoryview(buffer),)))
    assert buffer == b"first"
    buffer[:] = b"other"
    (received,) = (await other.receive()).buffers
    assert bytes(received) == b"first"


async def who_receives_waits_for_a_message(one: Transport, other: Transport) -> None:
    """It gets the one that comes then."""
    waiting = asyncio.ensure_future(other.receive())
    await asyncio.sleep(0)
    assert not waiting.done()
    await one.send(Message("late"))
    assert (await waiting).text == "late"


async def a_wait_that_is_given_up_loses_no_message(one: Transport, other: Transport) -> None:
    """The next one to receive gets it."""
    waiting = asyncio.ensure_future(other.receive())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    await one.send(Message("kept"))
    assert (await other.receive()).text == "kept"


async def what_was_sent_before_a_close_still_arrives(one: Transport, other: Transport) -> None:
    """Then the other side hears of the close."""
    await one.send(Message("first", (b"1",)))
    await one.send(Message("last"))
    one.close()
    assert [(await other.receive()).text for _ in range(2)] == ["first", "last"]
    with pytest.raises(ParticipantLost):
        await other.receive()


async def the_side_that_closed_receives_nothing_more(one: Transport, other: Transport) -> None:
    """Not even what was there already: it is done with the other one."""
    await other.send(Message("too late"))
    await other.send(Message("too late as well"))
    one.close()
    for _ in range(2):
        with pytest.raises(ParticipantLost):
            await one.receive()


async def a_close_ends_both_sides_for_good(one: Transport, other: Transport) -> None:
    """Sending and receiving raise from then on, as often as they are tried."""
    one.close()
    with pytest.raises(ParticipantLost, match="gone"):
        await other.receive()
    for side in (one, other, one, other):
        with pytest.raises(ParticipantLost):
            await side.receive()
        with pytest.raises(ParticipantLost):
            await side.send(Message("{}"))


async def who_waits_hears_of_the_close(one: Transport, other: Transport) -> None:
    """On the side that closes as well as on the other one."""
    waiting = [asyncio.ensure_future(side.receive()) for side in (one, other)]
    await asyncio.sleep(0)
    one.close()
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [ParticipantLost, ParticipantLost]


async def closing_again_is_no_error(one: Transport, other: Transport) -> None:
    """Whichever side does it, and whether it has heard of the first close or not."""
    one.close()
    one.close()
    other.close()
    other.close()
    for side in (one, other):
        with pytest.raises(ParticipantLost):
            await side.receive()


async def what_is_sent_to_a_side_that_closed_is_lost(one: Transport, other: Transport) -> None:
    """Who has not heard of the close yet may still send; it does no harm."""
    one.close()
    try:
        await other.send(Message("into the void"))
    except ParticipantLost:
        return  # it had heard of it
    for side in (one, other):
        with pytest.raises(ParticipantLost):
            await side.receive()


RULES = (
    messages_keep_their_order,
    text_arrives_as_it_was_sent,
    bytes_arrive_as_they_were_sent,
    a_buffer_of_10_mib_passes,
    what_was_sent_does_not_change_with_the_buffer_it_came_from,
    who_receives_waits_for_a_message,
    a_wait_that_is_given_up_loses_no_message,
    what_was_sent_before_a_close_still_arrives,
    the_side_that_closed_receives_nothing_more,
    a_close_ends_both_sides_for_good,
    who_waits_hears_of_the_close,
    closing_again_is_no_error,
    what_is_sent_to_a_side_that_closed_is_lost,
)
