// The secret that signs webhooks, as a merchant may bring it.

import { normalised } from "./fields.ts";

const SECRET = { prefix: "whsec_", minBytes: 24, maxBytes: 64 };

/** The secret in its canonical form (Standard Webhooks 1.0); null for any other text. */
function parseSecret(given: string): string | null {
  if (!given.startsWith(SECRET.prefix)) return null;
  const base64 = given.slice(SECRET.prefix.length);
  const key = Buffer.from(base64, "base64");
  const fits = key.length >= SECRET.minBytes && key.length <= SECRET.maxBytes;
  return fits && key.toString("base64") === base64 ? given : null;
}

/** A signing secret that a merchant brings. */
export const webhookSecret = normalised(
  parseSecret,
  `${SECRET.prefix} and the base64 of ${SECRET.minBytes} to ${SECRET.maxBytes} bytes`,
  {},
  {
    note: "Signs the deliveries: whsec_ and the base64 of 24 to 64 bytes",
    example: "whsec_NWEyYjljMDEzZjFkNWEyYjljMDEzZjFkNWEyYjljMDE=",
  },
);
