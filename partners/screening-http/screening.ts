// A screening over HTTP: POSTs each payout as JSON to SCREENING_URL, signed as Standard Webhooks 1.0
// with SCREENING_SECRET; the JSON of the answer is the decision. Any other answer is an error, so
// payrail holds the payout. docs/operate/screening.md is the guide.

import { createHmac } from "node:crypto";
import type { Screening, ScreeningAnswer } from "../types.ts";

/** A little less than payrail waits, so that the request ends with it. */
const ANSWERED_WITHIN_MS = 2_900;
const ANSWER_AT_MOST = 64 * 1_024;
const SECRET = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/;

/** @throws Error that names the variable, and never its value */
export default function screeningOverHttp(): Screening {
  const { SCREENING_URL = "", SCREENING_SECRET = "", NODE_ENV } = process.env;
  const url = URL.canParse(SCREENING_URL) ? new URL(SCREENING_URL) : null;
  const schemes = NODE_ENV === "production" ? ["https:"] : ["https:", "http:"];
  if (!url || !schemes.includes(url.protocol)) {
    throw new Error("SCREENING_URL must be an https URL (outside production also http)");
  }
  const secret = SECRET.exec(SCREENING_SECRET)?.[1];
  if (!secret) throw new Error("SCREENING_SECRET must be whsec_ and base64 of 24 to 64 bytes");
  const key = Buffer.from(secret, "base64");

  return {
    name: "screening-http",
    async screen(asked) {
      const body = JSON.stringify(asked);
      const timestamp = Math.floor(Date.now() / 1_000);
      const signed = createHmac("sha256", key).update(`${asked.id}.${timestamp}.${body}`);
      const response = await fetch(url, {
        method: "POST",
        body,
        redirect: "error",
        signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
        headers: {
          "content-type": "application/json",
          "webhook-id": asked.id,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": `v1,${signed.digest("base64")}`,
        },
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`The screening answered ${response.status}`);
      }
      return JSON.parse(await readText(response)) as ScreeningAnswer;
    },
  };
}

/** @throws Error if the answer is too long */
async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > ANSWER_AT_MOST) throw new Error("The screening's answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
