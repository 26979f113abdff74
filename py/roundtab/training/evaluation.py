"""What a participant does for the coordinator besides training: starting weights, and metrics on held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from roundtab.errors import TrainingFailed
from roundtab.records.ids import new_id
from roundtab.records.jobs import CapabilityRef
from roundtab.records.values import Blob
from roundtab.training.messages import Evaluated, EvaluateTask, InitTask, Update, pack, unpack
from roundtab.training.plan import Plan
from roundtab.training.roster import Member
from roundtab.training.updates import check_start

_VERSIONS = "Use the same version of Roundtab on both sides."


async def start_weights(plan: Plan, member: Member) -> dict[str, np.ndarray]:
    """The model's weights before the first round, drawn from the job's seed."""
    job = plan.job
    answer = await member.ask(
        InitTask(
            lease=new_id("lease"),
            capability=job.capability,
            parameters=job.config.parameters,
            shape=plan.shape,
            seed=job.config.trainer.seed,
        ),
        within=job.config.trainer.deadline_s,
    )
    if not isinstance(answer, Update):
        raise TrainingFailed("The answer has no weights in it.", _VERSIONS)
    weights = unpack(answer.weights)
    check_start(weights)
    return weights


async def evaluate(
    member: Member,
    capability: CapabilityRef,
    weights: Mapping[str, np.ndarray],
    inputs: Blob,
    rows: Blob,
    *,
    within: float,
    heard: Callable[[int], None] | None = None,
) -> Evaluated:
    """The model's metrics on `rows` (packed features and labels), computed by `member`, not by the engine.

    `inputs` are the packed input statistics; `within` is in seconds; `heard` is told how many rows are done.
    """
    state = member.record.state
    member.note(state="evaluating")
    task = EvaluateTask(lease=new_id("lease"), capability=capability, weights=pack(weights), inputs=inputs, rows=rows)
    answer = await member.ask(task, within=within, heard=heard)
    member.note(state=state)
    if not isinstance(answer, Evaluated):
        raise TrainingFailed("The answer is no evaluation.", _VERSIONS)
    return answer
