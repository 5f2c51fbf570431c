// Heads of the ledger as files: a signed head (JWS) as it is, or within the JSON of an answer or of
// an event. A file may hold several, such as one for each hour.

import { createPublicKey, type JsonWebKey } from "node:crypto";
import { readFileSync } from "node:fs";
import jwt from "jsonwebtoken";
import { checker } from "../../../shared/contracts/checker.ts";
import { HEAD_TYPE, headClaims } from "../../../shared/contracts/ledger-heads.ts";
import { SetupError } from "../../platform/processes.ts";
import type { KeptHead } from "../../verify/journal/heads.ts";

const JWS = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g;

type Keys = (JsonWebKey & { kid?: string; alg?: string })[];

/**
 * Reads the heads of files.
 * @param keysPath a JWKS, by which every signature is checked; unchecked if null
 * @throws SetupError if a file holds no head, or a signature is wrong
 */
export function readKeptHeads(paths: string[], keysPath: string | null): KeptHead[] {
  const keys = keysPath === null ? null : readKeys(keysPath);
  return paths.flatMap((path) => {
    const found = new Set(read(path).match(JWS));
    if (found.size === 0) throw new SetupError(`${path} holds no head of the ledger.`);
    return [...found].map((jws, i) => readHead(found.size > 1 ? `${path}[${i}]` : path, jws, keys));
  });
}

function readHead(name: string, jws: string, keys: Keys | null): KeptHead {
  const decoded = decode(jws);
  if (decoded?.header.typ !== HEAD_TYPE) throw new SetupError(`${name} is no head of the ledger.`);
  if (keys) requireSignature(name, jws, decoded.header, keys);
  try {
    const { claims } = checker({ claims: headClaims })({ claims: decoded.payload });
    return { name: `the head ${name}`, claims };
  } catch {
    throw new SetupError(`${name} is a head of a form that this version does not know.`);
  }
}

/** Null for a text that only looks like a JWS. */
function decode(jws: string): jwt.Jwt | null {
  try {
    return jwt.decode(jws, { complete: true });
  } catch {
    return null;
  }
}

function requireSignature(name: string, jws: string, { kid }: jwt.JwtHeader, keys: Keys): void {
  const key = keys.find((each) => each.kid === kid);
  if (!key) throw new SetupError(`${name} was signed with the key ${kid}, which is not given.`);
  try {
    const algorithm = key.kty === "RSA" ? "RS256" : "ES256";
    jwt.verify(jws, createPublicKey({ key, format: "jwk" }), { algorithms: [algorithm] });
  } catch {
    throw new SetupError(
      `${name} has a wrong signature: it was changed, or payrail did not make it.`,
    );
  }
}

function readKeys(path: string): Keys {
  try {
    const { keys } = JSON.parse(read(path)) as { keys: Keys };
    if (Array.isArray(keys)) return keys;
  } catch (error) {
    if (error instanceof SetupError) throw error;
  }
  throw new SetupError(`${path} is no JWKS ({"keys": […]}).`);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new SetupError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
