/** Answers that the gate gives itself, when no engine can. */
/**
 * The JSON-RPC error that answers `json`.
 * @param {string} json the request
 * @param {string} code
 * @param {string} problem
 * @param {string} action
 * @returns {import("./hosts.js").Response}
 */
export function errorResponse(json, code, problem, action) {
  let id = null;
  try {
    id = JSON.parse(json).id ?? null;
  } catch {
    // The request is no JSON, so it has no id to name.
  }
  const data = { code, problem, action, problems: [] };
  return { json: JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: `${problem} ${action}`, data } }) };
}
