"""`manifests.verify` and `manifests.make`: files against a manifest, a manifest of files. Nothing is stored."""

from __future__ import annotations

from roundtab.api.context import Context, Handlers
from roundtab.api.protocol import Made, ManifestsMake, ManifestsVerify, Verified
from roundtab.clock import Slice
from roundtab.data.importers.sha256sum import read_checksums
from roundtab.data.making import make_manifest
from roundtab.data.manifest import parse_manifest
from roundtab.data.verify import verify
from roundtab.errors import InvalidData
from roundtab.training.portions import only_held_out


async def verify_manifest(context: Context, request: ManifestsVerify) -> Verified:
    """Structure, names, sizes, checksums: all problems of the first stage that has any."""
    files = context.given(request.files)
    try:
        manifest = parse_manifest(request.manifest)
        manifest = only_held_out(manifest) if request.held_out else manifest
    except InvalidData as error:
        return Verified(ok=False, stage="structure", problems=error.problems, notes=(), files=())
    tell = context.progress.tell
    result = await verify(
        manifest, files, context.engine.clock, lambda done, total, what: tell(done, total, "bytes", what)
    )
    return Verified(
        ok=not result.problems,
        stage=result.stage,
        problems=result.problems,
        notes=(*manifest.notes, *result.notes),
        files=result.passed,
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
