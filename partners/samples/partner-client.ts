// The client of the sample modules for the sample partner: SAMPLE_URL is its address, SAMPLE_KEY
// its key.

/** Less than the 4 s that payrail waits, so that the module itself ends an unanswered question. */
const WITHIN_MS = 3_500;

export interface PartnerClient {
  /** The vault's hosted field. */
  fieldUrl: string;
  /**
   * Asks the partner.
   * @throws Error without the content of the question, because payrail logs the error
   */
  ask<T>(method: "GET" | "PUT" | "POST", path: string, body?: object): Promise<T>;
}

/** @throws Error if a variable is missing, which ends the start */
export function partnerClient(): PartnerClient {
  const { SAMPLE_URL, SAMPLE_KEY } = process.env;
  if (!SAMPLE_URL || !SAMPLE_KEY) throw new Error("SAMPLE_URL and SAMPLE_KEY must be set");
  return {
    fieldUrl: new URL("/field", SAMPLE_URL).href,

    async ask<T>(method: string, path: string, body?: object): Promise<T> {
      const response = await fetch(new URL(path, SAMPLE_URL), {
        method,
        headers: { authorization: `Bearer ${SAMPLE_KEY}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(WITHIN_MS),
      });
      if (!response.ok) throw new Error(`The partner answered ${response.status} to ${method}`);
      return (await response.json()) as T;
    },
  };
}
