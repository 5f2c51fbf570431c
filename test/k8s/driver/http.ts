// Requests to the gateway from inside the cluster, through its Service, and tokens for them.

import { createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";

const GATEWAY = process.env.GATEWAY ?? "http://gateway";
const KEY_FILE = process.env.JWT_PRIVATE_KEY_FILE ?? "";
const ANSWERED_WITHIN_MS = 20_000;
const TOKEN_LIFETIME_S = 4 * 3_600;

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the driver reads answers of every shape
  data: any;
  text: string;
}

interface Sent {
  token?: string;
  body?: object;
}

/** @throws fetch's error for a connection that was refused or broken, or for no answer */
export async function ask(
  method: string,
  path: string,
  { token, body }: Sent = {},
): Promise<Answer> {
  const response = await fetch(`${GATEWAY}${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return { status: response.status, text, data: isJson ? JSON.parse(text).data : null };
}

/** The data of an answer that succeeded. */
export async function succeed(method: string, path: string, sent: Sent = {}) {
  const answer = await ask(method, path, sent);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.data;
}

/** An access token (JWT, ES256) as the token endpoint issues them. */
export function tokenOf(role: "admin" | "merchant" | "user", sub: string): string {
  const issuedAt = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: "payrail",
    aud: "payrail",
    sub,
    role,
    scope: "external.apis",
    iat: issuedAt,
    exp: issuedAt + TOKEN_LIFETIME_S,
  };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg: "ES256", typ: "JWT" })}.${encode(claims)}`;
  const key = createPrivateKey(readFileSync(KEY_FILE, "utf8"));
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}
