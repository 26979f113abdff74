"""What a job's record means in words: its status, its phase, its name."""

from __future__ import annotations

from collections.abc import Sequence

from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.jobs import Job, JobItem, Participant
from roundtab.views.components import StatusKind
from roundtab.views.format import clock_time, plural

LABELS = {
    "queued": "Queued",
    "running": "Running",
    "completed": "Completed",
    "failed": "Failed",
    "cancelled": "Cancelled",
}


def job_title(job: Job | JobItem) -> str:
    """What to call the job: its name, else its data, else its id."""
    dataset = job.dataset if isinstance(job, JobItem) else job.dataset.name if job.dataset else None
    return job.name or dataset or job.id


def capability_of(job: Job, catalogue: Sequence[CapabilityInfo]) -> CapabilityInfo | None:
    """The capability of a job, if the catalogue has exactly its code."""
    return next((each for each in catalogue if each.sha256 == job.capability.sha256), None)


def job_status(job: Job | JobItem) -> tuple[StatusKind, str]:
    """The kind and label of a job's status; a requested cancel and a wait show while it runs."""
    if job.status == "running" and job.cancel_requested_at:
        return "cancelling", "Cancel requested"
    if job.status == "running" and job.phase == "waiting_for_participants":
        return "waiting", LABELS["running"]
    return job.status, LABELS[job.status]


def brief_phase(job: JobItem) -> str:
    """A few words beside the status in a list."""
    if job.status == "failed" and job.error:
        return f"after round {job.rounds.done}: {job.error.problem}"
    if job.status in ("completed", "failed", "cancelled"):
        return f"after {plural(job.rounds.done, 'round')}"
    if job.status == "running" and job.cancel_requested_at:
        return f"since {clock_time(job.cancel_requested_at)}"
    coming = job.rounds.done + 1
    return {
        None: "starting" if job.status == "running" else "starts again" if job.attempt > 1 else "not started",
        "validating": "checking the data",
        "waiting_for_participants": "waiting for participants",
        "training": f"training round {coming}",
        "aggregating": f"aggregating round {coming}",
        "evaluating": f"evaluating round {coming}",
        "saving": f"saving round {coming}",
        "recovering": f"going on after round {job.rounds.done}",
    }[job.phase]


def phase(job: Job, participants: Sequence[Participant], best: int | None) -> str:
    """One sentence on what the job is doing, or how it ended."""
    if job.status in ("queued", "running"):
        return _under_way(job, participants)
    if job.status in ("cancelled", "failed"):
        if not job.rounds.done:
            return f"{LABELS[job.status]} before the first round was saved."
        rounds = f"{plural(job.rounds.done, 'round')} of {job.rounds.total}"
        return f"{LABELS[job.status]} after {rounds}. What was saved is kept."
    if best is None:
        return f"Completed: {plural(job.rounds.done, 'round')}. No validation data, so no round is marked best."
    return f"Completed: {plural(job.rounds.done, 'round')}. Round {best} is the best on validation data."


def _under_way(job: Job, participants: Sequence[Participant]) -> str:
    if job.status == "running" and job.cancel_requested_at:
        return (
            f"Cancel requested at {clock_time(job.cancel_requested_at)} UTC. The job ends when clean-up is done; "
            "if it completes or fails first, that stands."
        )
    coming = job.rounds.done + 1
    connected = [each for each in participants if each.state not in ("left", "starting")]
    if job.phase == "waiting_for_participants":
        missing = max(job.config.min_participants - len(connected), 1)
        return f"Waiting for {plural(missing, 'more participant', 'more participants')}."
    if job.phase == "training":
        reported = sum(each.state == "reported" for each in connected)
        have = "has" if reported == 1 else "have"
        return f"Training round {coming}: {reported} of {plural(len(connected), 'participant')} {have} reported."
    if job.phase is None and job.status == "running":
        return "Starting the trainers."
    return {
        None: "It starts again by itself." if job.attempt > 1 else "Nothing runs until you start it.",
        "validating": "Checking the data copy and the capability.",
        "aggregating": f"Round {coming}: adding up the updates.",
        "evaluating": f"Round {coming}: evaluating on validation data.",
        "saving": f"Round {coming}: saving the checkpoint.",
        "recovering": f"Going on after round {job.rounds.done}, the last one that was saved.",
    }[job.phase]
