// Settings that production refuses though each value is well formed: connections without encryption
// or credentials, keys that are known or easy to guess, a public address without TLS.

import {
  DEVELOPMENT_KEY_ID,
  generatedKeys,
  isDevelopmentKey,
} from "../security/development-keys.ts";
import { type JwtKey, readPrivateKey, readPublicKeys, thumbprint } from "../security/jwt-keys.ts";
import type { Config } from "./config.ts";
import { isUrl, parseMongoUrl } from "./env-values.ts";

/** The parts that a process has; a part that it does not use is absent and is not checked. */
type Parts = Partial<Config>;

/**
 * The problems of a production configuration, each with the variable's name and a remedy.
 * @param allowPlaintext whether a mesh encrypts the connections to NATS and MongoDB; it replaces
 *   their TLS, but not their credentials, and not the check of a certificate if there is one
 * @param dataDir where a development start would have left its keys
 */
export function wrongInProduction(
  config: Parts,
  { allowPlaintext, dataDir }: { allowPlaintext: boolean; dataDir: string },
): string[] {
  return [
    ...wrongAddress(config),
    ...wrongNats(config, allowPlaintext),
    ...wrongMongo(config, allowPlaintext),
    ...wrongSecrets(config),
    ...developmentKeysIn(config, dataDir),
  ];
}

const MESH = "or ALLOW_PLAINTEXT=true where a mesh encrypts";

/** Customers enter cards on pages under this address, so no mesh replaces its TLS. */
function wrongAddress({ publicUrl }: Parts): string[] {
  return publicUrl === undefined || isUrl(publicUrl, ["https:"])
    ? []
    : ["PUBLIC_URL must be the https:// URL in production that customers reach payrail by"];
}

function wrongNats({ natsUrl, natsCreds }: Parts, allowPlaintext: boolean): string[] {
  if (!natsUrl) return [];
  const wrong: string[] = [];
  // Only the first server's credentials are sent (shared/rpc/broker.ts).
  const { protocol, username, password } = new URL(natsUrl.split(",")[0] as string);
  if (protocol !== "tls:" && !allowPlaintext) {
    wrong.push(`NATS_URL must be tls:// in production, ${MESH}`);
  }
  if (!natsCreds && !(username && password)) {
    wrong.push(
      "NATS_URL must have a user and a password in production, or set NATS_CREDS to a credentials file",
    );
  }
  return wrong;
}

function wrongMongo({ mongoUrl }: Parts, allowPlaintext: boolean): string[] {
  const options = mongoUrl ? parseMongoUrl(mongoUrl) : null;
  if (options === null) return [];
  const wrong: string[] = [];
  const { tls, credentials } = options;
  if (!tls && !allowPlaintext) {
    wrong.push(`MONGO_URL must have tls=true in production, ${MESH}`);
  }
  // The driver sets both from tlsInsecure, tlsAllowInvalidCertificates and
  // tlsAllowInvalidHostnames.
  const { rejectUnauthorized = true, checkServerIdentity } = options;
  if (!rejectUnauthorized || checkServerIdentity !== undefined) {
    wrong.push(
      "MONGO_URL must not switch off the check of certificates in production; remove tlsInsecure, tlsAllowInvalidCertificates and tlsAllowInvalidHostnames, and name the authority in tlsCAFile",
    );
  }
  const isX509 = credentials?.mechanism === "MONGODB-X509";
  if (!isX509 && !(credentials?.username && credentials.password)) {
    wrong.push(
      "MONGO_URL must have a user and a password in production, or authMechanism=MONGODB-X509",
    );
  }
  return wrong;
}

const NO_KEY = Buffer.alloc(0);
/** 32 random bytes have fewer different values once in 10^20 keys. */
const LEAST_VARIETY_OF_KEYS = 16;
/** 32 random hexadecimal digits have fewer different characters once in 10^7 secrets. */
const LEAST_VARIETY_OF_TEXT = 8;

/**
 * Finds keys that are not random, and keys that serve two purposes: a leak of one would open both.
 */
function wrongSecrets({
  encryptionKeys = [],
  fingerprintKey = NO_KEY,
  jwtSource,
  jwtSigner,
}: Parts): string[] {
  const secrets = encryptionKeys.map(({ id, key }) => ({
    name: `the key ${id} of ENCRYPTION_KEYS`,
    bytes: key,
    leastVariety: LEAST_VARIETY_OF_KEYS,
  }));
  if (fingerprintKey.length > 0) {
    const leastVariety = LEAST_VARIETY_OF_KEYS;
    secrets.push({ name: "FINGERPRINT_KEY", bytes: fingerprintKey, leastVariety });
  }
  // One secret signs and verifies.
  const jwtSecret = [jwtSource, jwtSigner].find((each) => each?.kind === "secret")?.secret;
  if (jwtSecret !== undefined) {
    const bytes = Buffer.from(jwtSecret);
    secrets.push({ name: "JWT_SECRET", bytes, leastVariety: LEAST_VARIETY_OF_TEXT });
  }
  const guessable = secrets.filter(({ bytes, leastVariety }) => {
    return new Set(bytes).size < leastVariety || isRepetition(bytes.toString("latin1"));
  });
  const remedy = "make one with: openssl rand -base64 32";
  return [
    ...guessable.map(({ name }) => `${capitalised(name)} must be random in production; ${remedy}`),
    ...secrets.flatMap((secret, i) => {
      const twin = secrets.slice(0, i).find((other) => isSame(secret.bytes, other.bytes));
      return twin
        ? [`${capitalised(secret.name)} must be another than ${twin.name} in production; ${remedy}`]
        : [];
    }),
  ];
}

function isRepetition(text: string): boolean {
  return `${text}${text}`.indexOf(text, 1) < text.length;
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.equals(other) || Buffer.from(one.toString(), "base64").equals(other);
}

/** Finds keys that `npm start` generated: a developer's disk has them, and every copy of it. */
function developmentKeysIn(config: Parts, dataDir: string): string[] {
  const { encryptionKeys = [], fingerprintKey = NO_KEY, jwtSource, jwtSigner } = config;
  const { ledgerHeadKey = null } = config;
  const generated = generatedKeys(dataDir);
  const names: string[] = [];
  if (encryptionKeys.some(({ id, key }) => id === DEVELOPMENT_KEY_ID || isDevelopmentKey(key))) {
    names.push("ENCRYPTION_KEYS");
  }
  const isGenerated = fingerprintKey.toString("base64") === generated.fingerprintKey;
  if (isDevelopmentKey(fingerprintKey) || isGenerated) names.push("FINGERPRINT_KEY");
  const own = pairIn(generated.jwtPrivateKey);
  const isOwn = (key: JwtKey | null) => isSamePair(key, own);
  const publicKeys = jwtSource?.kind === "publicKey" ? readPublicKeys(jwtSource.pem) : null;
  if (publicKeys?.some(isOwn)) names.push("JWT_PUBLIC_KEY");
  const isSigner = jwtSigner?.kind === "privateKey" && isOwn(readPrivateKey(jwtSigner.pem));
  if (isSigner) names.push("JWT_PRIVATE_KEY");
  if (isSamePair(ledgerHeadKey, pairIn(generated.ledgerHeadKey))) names.push("LEDGER_HEAD_KEY");
  return names.map((name) => `${name} must not be a development key in production; make a new one`);
}

function pairIn(pem: string | undefined): JwtKey | null {
  return pem === undefined ? null : readPrivateKey(pem);
}

function isSamePair(one: JwtKey | null, other: JwtKey | null): boolean {
  return one !== null && other !== null && thumbprint(one) === thumbprint(other);
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
