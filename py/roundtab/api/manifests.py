"""`manifests.verify` and `manifests.make`: files against a manifest, a manifest of files. Nothing is stored."""

from __future__ import annotations

from roundtab.api.context import Context, Handlers
from roundtab.api.protocol import Made, ManifestsMake, ManifestsVerify, Verified
from roundtab.clock import Slice
from roundtab.data.content import notes_on, read_content
from roundtab.data.importers.sha256sum import read_checksums
from roundtab.data.making.making import make_manifest
from roundtab.data.manifests.manifest import parse_manifest
from roundtab.data.manifests.resources import Split
from roundtab.data.verify import verify
from roundtab.errors import InvalidData
from roundtab.training.portions import Handed, only


async def verify_manifest(context: Context, request: ManifestsVerify) -> Verified:
    """Structure, names, sizes, checksums, content: all problems of the first stage that has any."""
    files = context.given(request.files)
    try:
        manifest = parse_manifest(request.manifest)
        manifest = only(request.part, manifest) if request.part else manifest
    except InvalidData as error:
        return Verified(ok=False, stage="structure", problems=error.problems, notes=(), files=())
    clock = context.engine.clock

    def tell(done: int, total: int, what: str) -> None:
        context.progress.tell(done, total, "bytes", what)

    result = await verify(manifest, files, clock, tell)
    notes = (*manifest.notes, *result.notes)
    if result.problems:
        return Verified(ok=False, stage=result.stage, problems=result.problems, notes=notes, files=result.passed)
    handed = Handed(manifest=manifest, files=files)
    splits: tuple[Split, ...] = (request.part,) if request.part else ("train", "validation")
    parts = {each: handed.pairs(manifest.resources if request.part else manifest.part(each)) for each in splits}
    content = await read_content(parts, clock, tell)
    wrong = {each.path for each in content.problems}
    forms = {part: data.form for part, data in content.datasets.items()}
    return Verified(
        ok=not content.problems,
        stage="content",
        problems=tuple(content.problems),
        notes=(*notes, *(await notes_on(content, parts, clock))),
        files=tuple(path for path in result.passed if path not in wrong),
        train=forms.get("train"),
        validation=forms.get("validation"),
    )


async def make(context: Context, request: ManifestsMake) -> Made:
    """What the files are now, as a manifest."""
    clock, tell = context.engine.clock, context.progress.tell
    checksums = request.checksums
    made = await make_manifest(
        context.given(request.files),
        clock,
        name=request.name,
        label=request.label,
        listed=None if checksums is None else await read_checksums(checksums, Slice(clock)),
        progress=lambda done, total, what: tell(done, total, "bytes", what),
    )
    return Made(manifest=made.text, notes=made.notes)


HANDLERS: Handlers = {ManifestsVerify: verify_manifest, ManifestsMake: make}
