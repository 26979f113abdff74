/** Who may use the widget: origins against the register that was built from sites.toml. */

/**
 * @typedef {{origin: string, grants: string[]}} Site
 * @typedef {import("../widget/connection.js").State} State
 */

/** @param {string} code @param {string} reason @param {string} action @returns {State} */
export function unavailable(code, reason, action) {
  return { ready: false, phase: "unavailable", code, reason, action };
}

/**
 * The site that `origin` is registered as, or why it is refused. The browser itself vouches for `origin` and `ancestors`.
 * @param {string} origin of the host page, as its message says
 * @param {string[] | null} ancestors origins of all pages around the frame, nearest first, as far as the browser has a list
 *   of them; null where it has none and the host page is not the outermost one
 * @param {string} own origin of the frame, which the register calls "self"
 * @param {Site[]} sites
 * @returns {{site: Site, refusal?: State}}
 */
export function admit(origin, ancestors, own, sites) {
  const registered = (/** @type {string} */ each) =>
    each === "null" ? undefined : sites.find((site) => (site.origin === "self" ? own : site.origin) === each);
  if (ancestors === null) {
    const reason = "This browser does not tell which page this site is shown in.";
    return { site: { origin, grants: [] }, refusal: unavailable("not_registered", reason, "Open the site in a tab of its own.") };
  }
  const stranger = [origin, ...ancestors].find((each) => !registered(each));
  const site = { origin, grants: registered(origin)?.grants ?? [] };
  if (stranger !== undefined) {
    const action = "Ask the owner of the widget to add this exact address to its site register.";
    return { site: { origin, grants: [] }, refusal: unavailable("not_registered", `This site is not registered: ${stranger}.`, action) };
  }
  if (!site.grants.includes("training")) {
    return { site, refusal: unavailable("no_grant", "This site may not use training.", "Ask the owner of the widget.") };
  }
  return { site };
}
