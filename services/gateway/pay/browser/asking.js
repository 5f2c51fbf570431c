// The page's requests to its server, with their idempotency keys and pauses.

export const ANSWER_WITHIN_MS = 20_000;

/** A field that the server does not know is an error, and not dropped. */
const OF_BODY = { "content-type": "application/json", prefer: "handling=strict" };

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {string} message
 * @property {string} code of an error
 * @property {{ field: string }[]} errors the wrong fields of a request
 * @property {number} retryAfterS
 * @property {any} data
 */

/**
 * Asks the server.
 * @param {string} path
 * @param {object} [body] sent if given
 * @param {Record<string, string>} [headers]
 * @returns {Promise<Answer | null>} null if the server did not answer
 */
export async function ask(path, body, headers = {}) {
  try {
    const response = await fetch(path, {
      ...(body && { method: "POST", body: JSON.stringify(body) }),
      headers: body ? { ...OF_BODY, ...headers } : headers,
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const answer = { data: null, message: "", code: "", errors: [], ...(await response.json()) };
    const retryAfterS = Number(response.headers.get("retry-after"));
    return { ...answer, status: response.status, retryAfterS };
  } catch {
    return null;
  }
}

/** randomUUID is not used, because it does not exist without https. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** @param {number} ms */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
