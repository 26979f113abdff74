"""How fast the Training API answers `status` while two trainers work flat out, against an idle engine."""

from __future__ import annotations

from _tab import CREATE, tabs

from roundtab.publish.bench import LEAST, Bench, Row

CALLS = """async (number) => {
  const times = [];
  for (let i = 0; i < number; i++) {
    const started = performance.now();
    await roundtab.training.request("status");
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  return { p50: times[number >> 1], p95: times[Math.floor(number * 0.95)], max: times[number - 1] };
}"""
NUMBER = 200
BUSY = {
    "capability": "tabular-classifier@1.0.0",
    "parameters": {"hidden_units": 512},
    "trainer": {"rounds": 1000, "local_epochs": 20, "deadline_s": 3600},
    "local_trainers": 2,
}
TRAINING = """(id) => new Promise((resolve) => {
  const look = async () => {
    const { items } = await roundtab.training.request("participants.list", { job: id });
    if (items.length === 2 && items.every((each) => each.state === "training")) resolve();
    else setTimeout(look, 50);
  };
  look();
})"""


def run(bench: Bench) -> None:
    """200 calls a run; p50, p95 and the slowest."""
    with tabs(bench) as browser:
        page = browser.ready()
        page.evaluate(CALLS, NUMBER)
        idle = [page.evaluate(CALLS, NUMBER) for _ in range(LEAST)]
        job = page.evaluate(CREATE, BUSY)
        page.evaluate(TRAINING, job)
        page.evaluate(CALLS, NUMBER)
        busy = [page.evaluate(CALLS, NUMBER) for _ in range(LEAST)]
    for figure in ("p50", "p95", "max"):
        bench.add(
            Row(
                case=f"status, two trainers flat out: {figure}",
                unit="ms",
                ours=[each[figure] for each in busy],
                reference=[each[figure] for each in idle],
                reference_name="the same calls, engine idle",
            )
        )
