"""The page as a whole: in every state it is sound HTML, and text from outside stays text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from roundtab.errors import Problem
from roundtab.records.events import RequestProgress
from roundtab.records.jobs import CapabilityRef, JobError, Status
from roundtab.views.workspace.page import page, title
from roundtab.views.workspace.samples import Sample
from roundtab.views.workspace.state import (
    ChosenData,
    ChosenFile,
    Connection,
    NewJob,
    OpenJob,
    Trouble,
    ValidateForm,
    WorkspaceState,
)

STATUSES: tuple[Status, ...] = ("queued", "running", "completed", "failed", "cancelled")


def pictures(make: Any) -> dict[str, WorkspaceState]:
    """States of every kind."""
    trouble = Trouble(
        problem="It failed.", action="Try again.", problems=(Problem(path="$", problem="P.", action="A."),)
    )
    chosen = ChosenData(manifest=ChosenFile(name="m.json", size=1), files=(ChosenFile(name="a.csv", size=2),))
    progress = RequestProgress(id="x", done=1, total=3, unit="bytes", what="Checking checksums: a.csv")
    own = NewJob(values={"data": "own", "validation": "other"}, data=chosen, validation=chosen)
    validate = ValidateForm(held_out=chosen)
    others = (make.validation(2, job="job-other"),)
    validated = {"validations": (make.validation(),), "others": others}
    made = {
        "validated": make.job_page(make.job(validation_dataset=make.held_out()), **validated),
        "validating": make.job_page(validate=replace(validate, busy="validating", progress=progress)),
        "held-out files": make.job_page(validate=replace(validate, trouble=trouble, done=make.validation())),
        "held-out files checked": make.job_page(validate=replace(validate, busy="checking", progress=progress)),
        "first paint": WorkspaceState(),
        "unavailable": WorkspaceState(connection=Connection(phase="unavailable", reason="R.", action="A.")),
        "jobs": make.state(),
        "no jobs": make.state(jobs=make.jobs()),
        "more jobs": make.state(jobs=make.jobs(make.item(), total=240)),
        "jobs not read": make.state(jobs=None, jobs_trouble=trouble),
        "job not read": make.state(route="job", open=OpenJob(id="job-1")),
        "job refused": make.state(route="job", open=OpenJob(id="job-1", trouble=trouble)),
        "job with trouble": make.job_page(trouble=trouble),
        "job with a long table": make.job_page(make.job(9), whole=frozenset({"checkpoints", "log"}), search="e"),
        "job offline": replace(make.job_page(), connection=Connection()),
        "new job": make.state(route="new"),
        "new job before the catalogue": WorkspaceState(route="new"),
        "own files": make.state(route="new", form=own),
        "checking": make.state(route="new", form=replace(own, busy="checking", progress=progress)),
        "creating": make.state(route="new", form=NewJob(busy="creating", progress=progress)),
        "refused": make.state(route="new", form=NewJob(trouble=trouble)),
    }
    for status in STATUSES:
        made[status] = make.job_page(make.job(status=status, phase=None, attempt=2))
        made[f"{status}, nothing yet"] = make.job_page(
            make.job(0, status=status, phase=None), participants=(), logs=(), state_text=None
        )
    return made


def test_every_picture_is_sound(make: Any, read: Any) -> None:
    """Each id stands once, each reference leads somewhere, each control has a name, each button says what it does."""
    for name, state in pictures(make).items():
        document = read(page(state))
        ids = Counter(each["id"] for each in document.elements if "id" in each.attributes)
        assert not [each for each, times in ids.items() if times > 1], name
        for each in document.elements:
            for reference in ("for", "aria-labelledby", "aria-describedby", "popovertarget", "data-opens"):
                for target in each.attributes.get(reference, "").split():
                    assert target in ids, f"{name}: {reference}={target}"
            if each.attributes.get("href", "").startswith("#") and not each["href"].startswith("#/"):
                assert each["href"][1:] in ids, f"{name}: {each['href']}"
            if each.tag == "button":
                does = {"data-action", "data-opens", "popovertarget"} & set(each.attributes)
                assert does or each["type"] == "submit", f"{name}: {each.words}"
                assert each.words, name
            if each.tag in ("input", "select"):
                assert each["name"], name
                labelled = "aria-label" in each.attributes or document.all("label", for_=each["id"])
                assert labelled, f"{name}: {each['name']}"


def test_text_from_outside_is_text(make: Any, read: Any) -> None:
    """Names, messages and values full of markup make no element and no attribute in any picture."""
    bad = make.hostile
    trouble = Trouble(problem=bad, action=bad, problems=(Problem(path=bad, problem=bad, action=bad),))
    reference = CapabilityRef(name=bad, version=bad, sha256=bad)
    job = make.job(
        name=bad, status="failed", phase=None, capability=reference, error=JobError(code="x", problem=bad, action=bad)
    )
    # a metric's name is an id too, so blanks must not stand in it
    metric = "val_" + bad.replace(" ", "")
    rounds = make.rounds(4, **{metric: 1.0, metric.replace("val_", "train_"): 1.0})
    chosen = ChosenData(manifest=ChosenFile(name=bad, size=1), files=(ChosenFile(name=bad, size=1),), trouble=trouble)
    measured = make.validation().metrics["loss"]
    hostile = make.validation(dataset=make.held_out(name=bad), data_sha256=bad, metrics={bad: measured})
    opened = make.opened(
        job,
        rounds=rounds,
        participants=(make.participant(name=bad, problem=bad, action=bad),),
        logs=(make.log(1, message=bad, data={bad: bad}),),
        state_text=bad,
        search="<script>",
        trouble=trouble,
        validations=(hostile,),
        others=(replace(hostile, job=bad.replace(" ", "")),),
        validate=ValidateForm(held_out=chosen, trouble=trouble, done=hostile),
    )
    item = make.item(name=bad, capability=reference, error=job.error, status="failed")
    info = make.capability(title=bad, name=bad, version=bad)
    sample = Sample(id=bad, title=bad, features=1, classes=2, rows=1, validation_rows=1, bytes=1)
    progress = RequestProgress(id=bad, done=1, total=2, unit=bad, what=bad)
    form = NewJob(values={"data": "own", "name": bad}, data=chosen, busy="checking", progress=progress, trouble=trouble)
    base = make.state(capabilities=(info,), samples=(sample,), jobs=make.jobs(item), jobs_trouble=trouble)
    for state in (
        replace(base, route="job", open=opened),
        replace(base, route="new", form=form),
        replace(base, route="new", form=NewJob(trouble=Trouble(problem=bad, action=bad))),
        replace(base, connection=Connection(phase="unavailable", reason=bad, action=bad)),
        replace(base, connection=Connection(step=bad)),
    ):
        document = read(page(state))
        assert "alert(1)" in document.words
        for each in document.elements:
            assert each.tag not in ("script", "img"), each
            assert not [name for name in each.attributes if name.startswith("on")], each


def test_the_page_says_which_route_it_shows(make: Any, read: Any) -> None:
    """One heading of the first level, and only the job's page has the job."""
    assert read(page(make.state())).one("h1").words == "Workspace"
    assert read(page(make.state(route="new"))).one("h1").words == "New job"
    assert read(page(make.job_page())).one("h2", id="job-title").words == "Digits"
    assert not read(page(make.state())).all("section", id="job")


def test_the_title_tells_how_far_the_job_is(make: Any) -> None:
    """A person in another tab reads the percentage, then the end."""
    running = make.job(8, 20)
    assert title(make.job_page(running)) == "40 % · Digits · Roundtab"
    for status, word in (("completed", "Completed"), ("failed", "Failed"), ("cancelled", "Cancelled")):
        assert title(make.job_page(replace(running, status=status))) == f"{word} · Digits · Roundtab"
    assert title(make.job_page(make.job(0, status="queued"))) == "Digits · Roundtab"


def test_the_title_of_the_list_follows_a_running_job(make: Any) -> None:
    """Without one it is the name of the page."""
    assert (
        title(make.state(jobs=make.jobs(make.item(status="queued"), make.item(done=5)))) == "25 % · Digits · Roundtab"
    )
    assert title(make.state(jobs=make.jobs(make.item(status="completed")))) == "Workspace · Roundtab"
    assert title(WorkspaceState()) == "Workspace · Roundtab"
    assert title(make.state(route="new")) == "New job · Roundtab"


@pytest.mark.parametrize("now", [None, "2026-11-30T09:00:00.000Z"])
def test_a_clock_that_is_not_there_or_behind_does_no_harm(make: Any, read: Any, now: str | None) -> None:
    """The clocks of two tabs may differ, and the first picture has none."""
    words = read(page(replace(make.job_page(), now=now))).words
    assert "-" not in words.partition("Started")[2][:40]
