// Values of the environment: parses the text of one variable; null for a text without meaning.

import { createRequire } from "node:module";
import type mongoose from "mongoose";
import { isObject } from "../contracts/field.ts";
import { readRange } from "../security/address-ranges.ts";

const require = createRequire(import.meta.url);

export interface RateLimit {
  count: number;
  windowMs: number;
}

/** The source of the keys that verify access tokens; exactly one. */
export type JwtKeySource =
  /** PEM blocks of one or, while keys are rotated, several keys. */
  | { kind: "publicKey"; pem: string }
  | { kind: "jwks"; url: string }
  | { kind: "secret"; secret: string };

/** The key that signs access tokens. */
export type JwtSigner = { kind: "privateKey"; pem: string } | { kind: "secret"; secret: string };

export interface EncryptionKey {
  id: string;
  key: Buffer;
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `15s`, `1h`: an integer with ms, s, m, h or d, as milliseconds; null for any other text. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * (UNITS[match[2] as string] as number) : null;
}

/** A number from 0 to 1; null for any other text. */
export function parseRatio(text: string): number | null {
  return /^(0|1|0?\.\d{1,9}|1\.0{1,9})$/.test(text) ? Number(text) : null;
}

export const PORT_FORM = "a port between 1 and 65535";

export function parsePort(value: string): number | null {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  return port >= 1 && port <= 65535 ? port : null;
}

// The addresses of proxies, not their number: a caller that reaches payrail directly could name any
// address.
export const TRUST_PROXY_FORM =
  "the addresses of the proxies before us, such as 10.0.0.0/8,192.0.2.1";

export function parseProxies(value: string): string[] | null {
  const addresses = value.split(",").map((part) => part.trim());
  return addresses.every(isAddressOrRange) ? addresses : null;
}

/** An IP address or a range (CIDR); the range of all addresses would trust every caller. */
function isAddressOrRange(text: string): boolean {
  return readRange(text)?.endsWith("/0") === false;
}

export const ENCRYPTION_KEYS_FORM = "id:base64[,id:base64…] with keys of 32 bytes and distinct ids";

export function parseEncryptionKeys(value: string): EncryptionKey[] | null {
  const keys = value.split(",").map((part) => {
    const colon = part.indexOf(":");
    const id = part.slice(0, colon).trim();
    const key = parseKey(part.slice(colon + 1).trim());
    return key && /^[\w-]{1,32}$/.test(id) ? { id, key } : null;
  });
  const valid = keys.filter((key) => key !== null);
  const distinct = new Set(valid.map((key) => key.id)).size === keys.length;
  return distinct ? valid : null;
}

export function parseKey(base64: string): Buffer | null {
  const key = Buffer.from(base64, "base64");
  return key.length === 32 ? key : null;
}

export function parseLimit(value: string): { limit: RateLimit | null } | null {
  if (value === "off") return { limit: null };
  const [count, window] = value.split("/");
  const windowMs = window ? parseDuration(window) : null;
  if (!count || !/^[1-9]\d{0,5}$/.test(count) || !windowMs) return null;
  return { limit: { count: Number(count), windowMs } };
}

export function parseSchedule(value: string): number[] | null {
  const waits = value.split(",").map((part) => parseDuration(part.trim()));
  return waits.every((wait) => wait !== null) ? waits : null;
}

export const RAILS_FORM =
  'JSON of a path or a list of paths by method, such as {"ACH":["./rails/new.js","./rails/old.js"]}';

export function splitList(value: string): string[] {
  const parts = value.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "");
}

export function parseRails(value: string): Record<string, string[]> | null {
  try {
    const parsed: unknown = JSON.parse(value);
    if (!isObject(parsed)) return null;
    const lists = Object.entries(parsed).map(
      ([method, paths]) => [method, [paths].flat()] as const,
    );
    return lists.every(([, paths]) => arePaths(paths))
      ? (Object.fromEntries(lists) as Record<string, string[]>)
      : null;
  } catch {
    return null;
  }
}

function arePaths(paths: unknown[]): boolean {
  return paths.length > 0 && paths.every((path) => typeof path === "string" && path !== "");
}

export function isUrl(value: string, protocols: string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

/** The driver's reading of a connection string: its hosts, credentials, TLS. */
export type MongoOptions = mongoose.mongo.MongoClient["options"];

/**
 * A connection string as the driver reads it. The driver's own reading decides, because any other
 * one would differ somewhere: in a password, a repeated option, the options that SRV implies.
 * @returns null if the driver refuses it
 */
export function parseMongoUrl(url: string): MongoOptions | null {
  // Loaded only here, because a gateway has no database and is smaller without it.
  const { MongoClient } = (require("mongoose") as typeof mongoose).mongo;
  try {
    return new MongoClient(url).options;
  } catch {
    return null;
  }
}
