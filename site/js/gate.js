/**
 * The gate: the first and only code of the frame that runs before the host page is known. It checks the host's origin, then
 * the browser's storage, and only then loads Python. Everything that the host page says goes through here.
 */
import { admit } from "./gate/admission.js";
import { Hosts } from "./gate/hosts.js";
import { Leadership } from "./gate/leadership.js";
import { draw } from "./gate/panel.js";
import { probe } from "./gate/probe.js";

const hosts = new Hosts(draw);
const register = fetch(new URL("../sites.json", import.meta.url)).then((response) => response.json());

/** Whether Python may be loaded: not before somebody was admitted. */
let admitted = false;

/** Origins of the pages around the frame; null where there are pages that the browser does not tell of. */
function ancestors() {
  if (location.ancestorOrigins) return Array.from(location.ancestorOrigins);
  return window.parent === window.top ? [] : null;
}

/** @param {MessageEvent} event */
async function greet(event) {
  if (event.source !== window.parent || event.data?.roundtab !== "host" || !event.ports[0]) return;
  const verdict = admit(event.origin, ancestors(), location.origin, (await register).sites);
  const host = hosts.add(event.ports[0], verdict.site);
  if (verdict.refusal) return hosts.tell(host, verdict.refusal);
  const fault = await probe();
  if (fault) return hosts.tell(host, fault);
  admitted = true;
  leadership.begin();
}

const leadership = new Leadership(hosts);
window.addEventListener("message", greet);
// A page in the back/forward cache keeps its workers frozen and its lock held: give both up, and start anew on return.
window.addEventListener("pagehide", () => leadership.end());
window.addEventListener("pageshow", (event) => {
  if (event.persisted && admitted) leadership.begin();
});
if (window.parent === window) {
  draw({
    phase: "unavailable",
    reason: "This page is the inside of the Roundtab widget.",
    action: "Open the page that embeds it.",
  });
} else {
  window.parent.postMessage({ roundtab: "frame" }, "*");
}
