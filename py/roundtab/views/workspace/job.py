"""The page of one job: its status in words, what can be done with it, and its panels."""

from __future__ import annotations

from roundtab.records.jobs import TERMINAL, Job
from roundtab.records.rounds import best_round
from roundtab.views.components import button, confirm, issue, note, status
from roundtab.views.format import exact_bytes, plural
from roundtab.views.html import Child, Element, el
from roundtab.views.workspace.api_state import api_state_panel
from roundtab.views.workspace.checkpoints import checkpoints_panel
from roundtab.views.workspace.logs import log_panel
from roundtab.views.workspace.metrics import metrics_panel
from roundtab.views.workspace.participants import participants_panel
from roundtab.views.workspace.progress import progress_panel
from roundtab.views.workspace.state import OpenJob, WorkspaceState
from roundtab.views.workspace.validation import validation_panel
from roundtab.views.workspace.words import job_status, job_title, phase


def job_section(state: WorkspaceState, opened: OpenJob) -> Element:
    """Everything about the open job; before it was read, a line that says so."""
    job = opened.job
    if job is None:
        return el("section", {"class": "stack", "id": "job", "aria-label": "Job"}, _unread(opened))
    return el(
        "section",
        {"class": "stack", "id": "job", "aria-labelledby": "job-title"},
        _head(state, opened, job),
        _trouble(opened),
        _failure(job),
        progress_panel(opened, job, state.now),
        participants_panel(opened, job, state.now),
        metrics_panel(opened, job, state.capabilities or ()),
        checkpoints_panel(opened, job, state.capabilities or ()),
        validation_panel(state, opened, job),
        log_panel(opened, job),
        api_state_panel(opened),
    )


def _unread(opened: OpenJob) -> Element:
    if opened.trouble is None:
        return el("p", {"class": "note late"}, "Reading the job …")
    return issue(
        f"The job could not be read: {opened.trouble.problem}",
        opened.trouble.action,
        buttons=[
            button("Try again", "job.reload", small=True),
            el("a", {"href": "#/", "role": "button", "class": "outline small"}, "All jobs"),
        ],
    )


def _trouble(opened: OpenJob) -> Element | None:
    if opened.trouble is None:
        return None
    details = [el("p", f"{each.problem} {each.action}") for each in opened.trouble.problems]
    return issue(opened.trouble.problem, opened.trouble.action, *details, id="job-trouble")


def _failure(job: Job) -> Element | None:
    return issue(job.error.problem, job.error.action, id="job-error") if job.error else None


def _head(state: WorkspaceState, opened: OpenJob, job: Job) -> Element:
    buttons, words = _actions(state, opened, job)
    best = best_round(opened.rounds, job.metric)
    return el(
        "div",
        {"class": "page-head"},
        el(
            "div",
            el(
                "div",
                {"class": "row"},
                el("h2", {"id": "job-title", "class": "job-title", "tabindex": -1}, job_title(job)),
                status(*job_status(job), badge=True),
                el("span", {"class": "tag"}, f"attempt {job.attempt}") if job.attempt > 1 else None,
            ),
            el("p", {"class": "lede", "role": "status"}, phase(job, opened.participants, best)),
        ),
        el("div", {"class": "actions"}, el("div", {"class": "row"}, buttons), note(words) if words else None),
    )


def _actions(state: WorkspaceState, opened: OpenJob, job: Job) -> tuple[list[Child], str]:
    """The buttons that the status allows, and what the first of them will do.

    Each has an id of its own: patching the page must not turn the focused «Start job» into «Cancel job», which the
    next Enter would press.
    """
    offline = state.connection.phase != "ready"
    children: list[Child]
    shut = offline or bool(opened.busy & {"job.start", "job.cancel", "job.retry", "job.delete"})
    if job.status in TERMINAL:
        children = [*_retry(opened, job, shut), *_delete(opened, job, shut)]
        words = f"Retry starts the job again as attempt {job.attempt + 1}. Logs are kept."
    elif job.status == "queued":
        children = [
            button(
                _doing(opened, "job.start", "Start job", "Starting …"),
                "job.start",
                id="start-job",
                disabled=shut,
                busy="job.start" in opened.busy,
            ),
            _cancel(opened, shut),
            *(_delete(opened, job, shut) if job.attempt == 1 else ()),
        ]
        trainers = job.config.local_trainers or 0
        words = (
            f"Start checks the data copy and the capability, then trains {plural(job.rounds.total, 'round')} with "
            f"{plural(trainers, 'trainer')} in this tab. Cancel takes effect at once."
        )
    elif job.cancel_requested_at:
        children = [_cancel(opened, True)]
        words = "The cancel is under way."
    else:
        children = [_cancel(opened, shut)]
        words = "Cancel ends the job as soon as clean-up is done. Saved rounds stay."
    return children, "The Training API is not ready, so nothing can be changed now." if offline else words


def _doing(opened: OpenJob, action: str, label: str, doing: str) -> str:
    return doing if action in opened.busy else label


def _cancel(opened: OpenJob, shut: bool) -> Element:
    busy = "job.cancel" in opened.busy
    label = _doing(opened, "job.cancel", "Cancel job", "Cancelling …")
    return button(label, "job.cancel", style="danger", id="cancel-job", disabled=shut, busy=busy)


def _retry(opened: OpenJob, job: Job, shut: bool) -> list[Element]:
    if shut:
        label = _doing(opened, "job.retry", "Retry job", "Retrying …")
        busy = "job.retry" in opened.busy
        return [button(label, "job.retry", style="outline", id="retry-ask", disabled=True, busy=busy)]
    consequence = (
        "Retry clears metrics, artifacts and checkpoints and starts the job again as attempt "
        f"{job.attempt + 1}. Logs are kept.{_lost(opened)}"
    )
    return list(confirm("retry", "Retry job", f"Retry «{job_title(job)}»?", consequence, "job.retry"))


def _delete(opened: OpenJob, job: Job, shut: bool) -> list[Element]:
    if shut:
        label = _doing(opened, "job.delete", "Delete job", "Deleting …")
        busy = "job.delete" in opened.busy
        return [button(label, "job.delete", style="outline", id="delete-ask", disabled=True, busy=busy)]
    consequence = (
        "The job goes with its metrics, checkpoints and log, and its copy of the data unless another job uses it. "
        f"This cannot be undone.{_lost(opened)}"
    )
    return list(confirm("delete", "Delete job", f"Delete «{job_title(job)}»?", consequence, "job.delete"))


def _lost(opened: OpenJob) -> str:
    """What would be lost, in numbers."""
    if not opened.checkpoints:
        return ""
    total = sum(each.bytes for each in opened.checkpoints)
    lost = f"{plural(len(opened.checkpoints), 'checkpoint')} ({exact_bytes(total)})"
    return f" {lost} will be gone: download first what you need."
