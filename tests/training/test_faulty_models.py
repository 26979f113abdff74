"""Models that do what they should not: the job fails in words, and nothing of the round is kept."""

from __future__ import annotations

import pytest
from training.world import MODEL, World, messages, nothing_left, whole

RAISES = "raise ValueError('the matrix is singular')"
BROKEN = {
    "init": f"def init(parameters, inputs, rng):\n    {RAISES}",
    "train": f"def train(weights, data, settings, rng):\n    {RAISES}",
    "train later": f"def train(weights, data, settings, rng):\n    yield 1\n    {RAISES}",
    "evaluate": f"def evaluate(weights, data):\n    {RAISES}",
}


@pytest.mark.parametrize("where", BROKEN)
async def test_a_model_that_raises_fails_the_job_with_its_message(world: World, where: str) -> None:
    """Nothing of the round is kept."""
    world.write_model(f"{MODEL}\n{BROKEN[where]}\n")
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine)
        ended = await world.run(engine, job)
        assert ended.error is not None
        assert (ended.status, ended.error.code) == ("failed", "training_failed")
        assert "The model's code failed: ValueError: the matrix is singular" in ended.error.problem
        assert ended.error.action
        assert whole(world, job) == 0
        assert (await messages(engine, job))[-1] == ended.error.problem


async def test_a_model_that_diverges_fails_the_job(world: World) -> None:
    """It neither trains on with values that are none, nor goes round for ever."""
    diverging = (
        "def train(weights, data, settings, rng):\n    return {'w': weights['w'] * np.float32('nan')}, {}, len(data)"
    )
    world.write_model(f"{MODEL}\n{diverging}\n")
    async with nothing_left():
        engine = await world.engine()
        ended = await world.run(engine, await world.job(engine))
        assert ended.error is not None
        assert "Every participant was stopped. The last one: w has 6 values that are not finite." in ended.error.problem
        assert "smaller learning rate" in ended.error.action


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        ("{}", "The model has no weights."),
        ("{'w': np.zeros((3, 2))}", "w starts with the type float64."),
        ("{'w': np.full((3, 2), np.inf, np.float32)}", "w starts with values that are not finite."),
        (
            "{'inputs/w': np.zeros(3, np.float32)}",
            "The model calls a tensor 'inputs/w'; that name is kept for checkpoints.",
        ),
    ],
)
async def test_starting_weights_that_do_not_fit_fail_the_job_at_once(world: World, returned: str, problem: str) -> None:
    """Not after three rounds, with another reason."""
    world.write_model(f"{MODEL}\ndef init(parameters, inputs, rng):\n    return {returned}\n")
    engine = await world.engine()
    ended = await world.run(engine, await world.job(engine))
    assert ended.error is not None
    assert ended.error.problem == problem
    assert "init" in ended.error.action


async def test_a_model_that_returns_nonsense_fails_the_job_in_words(world: World) -> None:
    """Whatever a model does, the participant lives to tell."""
    world.write_model(f"{MODEL}\ndef train(weights, data, settings, rng):\n    return None\n")
    engine = await world.engine()
    ended = await world.run(engine, await world.job(engine))
    assert ended.error is not None
    assert "The model's code failed: TypeError" in ended.error.problem
