// The needs of a new installation before its first start: a folder for each service with the
// secrets that it uses and no others, and folders for MongoDB and NATS with their certificates.
//
// A password is stored once, in the URL of its user. nats.conf and MongoDB's users are made from
// these URLs, so a repeated run changes nothing, and an interrupted one is continued.

import { createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Config, PARTS } from "../../../shared/config/config.ts";
import { SERVICE_NAMES } from "../../../shared/rpc/service-names.ts";
import { natsConfig } from "../../platform/nats-permissions.ts";
import { SetupError } from "../../platform/processes.ts";
import {
  certificateOf,
  isGood,
  makeAuthority,
  makeCertificate,
  type Subject,
} from "./certificates.ts";
import type { Files } from "./files.ts";
import { REPLICA_SET } from "./replica-set.ts";

const AUTHORITY = "authority/authority.pem";
export const AUTHORITY_CA = "authority/ca.pem";
export const ADMINISTRATOR = "authority/administrator.pem";
/** The folders of servers, which run as other users of the same group. */
export const SHARED_FOLDERS = ["mongo", "nats"];
export const DATABASE = "payrail";
const SERVER = "server.pem";
const CA = "ca.pem";

export interface Installation {
  /** `host:port` of MongoDB's members, with commas. */
  mongo: string;
  /** `host:port` of NATS. */
  nats: string;
  /** The names of MongoDB's users. */
  mongoUsers: string[];
  /** The folder at which each service finds its files; null where they are made. */
  mountedAt: string | null;
}

/** Makes the missing files and renews certificates that end soon. */
export function provideSecrets(files: Files, out: string, installation: Installation): void {
  const pathOf = (name: string, file: string) =>
    join(installation.mountedAt ?? join(out, name), file);
  const ca = provideCertificates(files, installation);
  for (const name of installation.mongoUsers) {
    const trust = encodeURIComponent(pathOf(name, CA));
    const options = `replicaSet=${REPLICA_SET}&authSource=admin&tls=true&tlsCAFile=${trust}`;
    const url = () =>
      `mongodb://${name}:${password()}@${installation.mongo}/${DATABASE}?${options}`;
    files.keep(`${name}/MONGO_URL`, url);
    files.write(`${name}/${CA}`, ca);
  }
  const natsUsers = SERVICE_NAMES.map((name) => {
    const url = () => `tls://${name}:${password()}@${installation.nats}`;
    files.write(`${name}/${CA}`, ca);
    return { name, password: passwordOf(files.keep(`${name}/NATS_URL`, url)) };
  });
  for (const name of holdersOf("encryptionKeys")) {
    files.keep(
      `${name}/ENCRYPTION_KEYS`,
      () => `${new Date().toISOString().slice(0, 10)}:${key()}`,
    );
  }
  for (const name of holdersOf("fingerprintKey")) files.keep(`${name}/FINGERPRINT_KEY`, key);
  for (const name of holdersOf("ledgerHeadKey")) files.keep(`${name}/LEDGER_HEAD_KEY`, signingKey);
  const privateKey = files.keep("accounts/JWT_PRIVATE_KEY", signingKey);
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
  for (const name of ["accounts", "gateway", "demo"]) {
    files.keep(`${name}/JWT_PUBLIC_KEY`, () => publicKey);
  }
  files.keep("demo/JWT_PRIVATE_KEY", () => privateKey);
  const server = pathOf("nats", SERVER);
  files.write("nats/nats.conf", natsConfig(natsUsers, { cert_file: server, key_file: server }));
}

/** The services that read this part of the configuration. */
function holdersOf(part: keyof Config): string[] {
  return SERVICE_NAMES.filter((name) => (PARTS[name] as readonly string[]).includes(part));
}

/** @returns the authority's certificate */
function provideCertificates(files: Files, { mongo, nats }: Installation): string {
  const authority = files.keep(AUTHORITY, makeAuthority);
  const ca = certificateOf(authority);
  const provide = (file: string, subject: Subject) => {
    const kept = files.read(file);
    if (kept !== null && isGood(kept, authority, subject.hosts)) return;
    files.write(file, makeCertificate(authority, subject));
  };
  const hosts = (addresses: string) => [
    ...addresses.split(",").map((address) => address.replace(/:\d+$/, "")),
    "localhost",
  ];
  provide(`mongo/${SERVER}`, { name: "mongo", unit: "mongo", hosts: hosts(mongo) });
  provide(`nats/${SERVER}`, { name: "nats", unit: "nats", hosts: hosts(nats) });
  // MongoDB takes it for a member, so it may start the set and make users in an empty database.
  provide(ADMINISTRATOR, { name: "administrator", unit: "mongo", hosts: [] });
  for (const folder of ["mongo", "nats", "authority"]) files.write(`${folder}/${CA}`, ca);
  return ca;
}

/** The password in a URL; passwords here need no encoding. */
export function passwordOf(url: string): string {
  const [, found] = /^[^/]+:\/\/[^:@/]+:([^@/]+)@/.exec(url) ?? [];
  if (found === undefined) throw new SetupError("A kept URL has no password; remove its file.");
  return decodeURIComponent(found);
}

function password(): string {
  return randomBytes(24).toString("base64url");
}

function key(): string {
  return randomBytes(32).toString("base64");
}

function signingKey(): string {
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return privateKey;
}
