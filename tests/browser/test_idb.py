from __future__ import annotations

from browser.conftest import Visits

COMMITTING = """async () => {
  const { database } = await import(new URL("assets/js/idb.js", location.href).href);
  const rows = database("rows", ["rows"]);
  await rows.lead();
  window.commits = 0;
  window.ended = null;
  (async () => {
    for (;;) {
      await rows.commit([], [], [{ table: "rows", key: `${window.commits}`, value: new ArrayBuffer(50_000) }]);
      window.commits += 1;
    }
  })().catch(({ name }) => (window.ended = name));
}"""


async def test_a_commit_is_answered_when_all_data_is_cleared_meanwhile(visits: Visits) -> None:
    """Chromium leaves about one in five such transactions without an event of its own; none may wait for ever."""
    visits.expected.append("404")  # a file that is opened by itself has no icon
    page = await visits.page("licences.txt")
    devtools = await page.context.new_cdp_session(page)
    origin = {"origin": visits.world.site[:-1], "storageTypes": "indexeddb"}
    for _ in range(12):
        await page.evaluate(COMMITTING)
        await page.wait_for_function("window.commits > 3")
        await devtools.send("Storage.clearDataForOrigin", origin)
        await page.wait_for_function("window.ended !== null")
        assert await page.evaluate("window.ended") in ("UnknownError", "AbortError")
