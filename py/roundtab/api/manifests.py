"""`manifests.verify`: files against a manifest, nothing created."""

from __future__ import annotations

from roundtab.api.context import Context, Handlers
from roundtab.api.protocol import ManifestsVerify, Verified
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


HANDLERS: Handlers = {ManifestsVerify: verify_manifest}
