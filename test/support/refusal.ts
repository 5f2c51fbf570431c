// The body of an error (docs/integrate/rest-api.md, Errors). The test client checks against the
// OpenAPI document that it has a code and a request id and nothing else, and that the id is the
// answer's.

/** The body of an error with this message. */
export function refusal(message: unknown): unknown {
  return expect.objectContaining({ success: false, message, fatal: true });
}

/** The same on the two lists of linked accounts. */
export function listRefusal(message: unknown): unknown {
  return expect.objectContaining({ success: false, message });
}

/** The body of an error without the id of its request, to compare two refusals. */
export function withoutId(body: Record<string, unknown>): unknown {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== "requestId"));
}
