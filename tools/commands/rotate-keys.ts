// npm run rotate-keys: encrypts all sealed data under the first of ENCRYPTION_KEYS, while payrail
// runs. Progress goes to stderr; the finished and the remaining work go to stdout. The usage below
// explains the exit codes.

import { parseArgs } from "node:util";
import type { mongo } from "mongoose";
import { sealedAccountAnswers, sealedAccounts } from "../../services/accounts/reseal.ts";
import {
  sealedLinkAnswers,
  sealedMethods,
  sealedTokens,
} from "../../services/payment-links/reseal.ts";
import { sealedSecrets, sealedWebhookAnswers } from "../../services/webhooks/endpoints/reseal.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import type { EncryptionKey } from "../../shared/config/env-values.ts";
import {
  countByKey,
  type Resealed,
  reseal,
  type SealedCollection,
} from "../../shared/security/reseal.ts";
import { readState, requireUsable } from "../../shared/storage/database-state.ts";
import { withDevelopmentKeys } from "../platform/environment.ts";
import { live } from "../platform/lifetime.ts";
import { openDatabase } from "../platform/open-database.ts";
import { grouped, print } from "../platform/output.ts";
import { SetupError } from "../platform/processes.ts";
import { progressTo } from "./progress.ts";

type Config = ConfigOf<"rotate-keys">;

const SOME_LEFT = 1;
const NOT_RUN = 2;

const USAGE = `npm run rotate-keys [-- --service accounts|payment-links|webhooks]

Encrypts all data with the first key of ENCRYPTION_KEYS that is encrypted with another one: linked
accounts' data, webhook secrets, payment links' tokens, saved payment methods, and the answers that
are kept for Idempotency-Keys. It works in batches while payrail runs, and may be interrupted at any
point and run again. At the end it prints the number of encrypted items under each key.

  --service   only the data of this service, for services with different ENCRYPTION_KEYS: run it
              with the keys and the database user of that service
  --help      this text

The order that loses nothing:
  1. Add the new key at the end of ENCRYPTION_KEYS, and restart every process.
  2. Put it first, the old one behind it, and restart every process.
  3. Run this, with that same ENCRYPTION_KEYS, until it ends with exit code 0.
  4. Remove the old key, and restart every process. Backups from before still need it.

It needs no other keys. It uses the database of MONGO_URL, or the one in DATA_DIR (default .data)
if MONGO_URL is unset.
Exit code 0: all data is under the first key; 1: some is not, and the report gives the reason; 2:
the rotation did not run to its end.
`;

/** The sealed data by the service that owns it. */
const SEALED = {
  accounts: (db: mongo.Db) => [part(sealedAccounts(db)), part(sealedAccountAnswers(db))],
  webhooks: (db: mongo.Db) => [part(sealedSecrets(db)), part(sealedWebhookAnswers(db))],
  "payment-links": (db: mongo.Db) => [
    part(sealedTokens(db)),
    part(sealedMethods(db)),
    part(sealedLinkAnswers(db)),
  ],
};

process.title = "payrail-rotate-keys";

await live(async (lifetime) => {
  const { service, help } = parseArgs({
    options: { service: { type: "string" }, help: { type: "boolean" } },
  }).values;
  if (help) {
    await print(USAGE);
    return lifetime.end(0);
  }
  const names = Object.keys(SEALED) as (keyof typeof SEALED)[];
  const chosen = names.filter((name) => service === undefined || name === service);
  if (chosen.length === 0) throw new SetupError(`--service must be one of ${names.join(", ")}.`);
  const config = loadConfig(withDevelopmentKeys(process.env, "rotate-keys"), "rotate-keys");
  const connection = await openDatabase(config, lifetime, { w: "majority", journal: true });
  const db = connection.getClient().db(connection.name);
  requireUsable(connection.name, await readState(db), config);
  const { text, isDone } = await rotate(
    config,
    chosen.flatMap((name) => SEALED[name](db)),
  );
  await print(text);
  await lifetime.end(isDone ? 0 : SOME_LEFT);
}, NOT_RUN);

/**
 * Encrypts all data of these parts that is under another key.
 * @returns the report, and whether no data is left
 */
async function rotate(config: Config, parts: Part[]): Promise<{ text: string; isDone: boolean }> {
  const { id: current } = config.encryptionKeys[0] as EncryptionKey;
  const counts = await Promise.all(parts.map((each) => each.count()));
  const due = counts.map((each) => others(each, current));
  const all = due.reduce((sum, each) => sum + each, 0);
  const progress = progressTo(process.stderr);
  const results: Resealed[] = [];
  for (const [i, { name, seal }] of parts.entries()) {
    const from = due.slice(0, i).reduce((sum, each) => sum + each, 0);
    const tell = (done: number) => {
      const fraction = Math.min(1, (from + done) / (all || 1));
      progress.tell({ phase: name, done, ofAbout: due[i] as number, fraction });
    };
    results.push(await seal(config, tell));
  }
  progress.end();
  const left = new Map<string, Map<string, number>>();
  for (const { name, count } of parts) left.set(name, await count());
  return describeResult(config, results, left);
}

type Part = ReturnType<typeof part>;

/** The counting and the encryption of a collection, without the type of its documents. */
function part<T extends { _id: string }>(sealed: SealedCollection<T>) {
  return {
    name: sealed.name,
    count: () => countByKey(sealed),
    seal: (config: Config, tell: (done: number) => void) => reseal(config, sealed, tell),
  };
}

/** The number of values under any other key. */
function others(counts: Map<string, number>, current: string): number {
  return [...counts].reduce((sum, [keyId, count]) => sum + (keyId === current ? 0 : count), 0);
}

function describeResult(
  { encryptionKeys }: Config,
  results: Resealed[],
  left: Map<string, Map<string, number>>,
): { text: string; isDone: boolean } {
  const [current = "", ...older] = encryptionKeys.map(({ id }) => id);
  const resealed = results.reduce((sum, result) => sum + result.resealed, 0);
  const lines = results.flatMap(({ reasons, unreadable }) => [
    ...reasons,
    ...(unreadable > reasons.length ? [`and ${grouped(unreadable - reasons.length)} more`] : []),
  ]);
  lines.push(`${grouped(resealed)} were put under the key ${current}. What lies under each key:`);
  for (const [name, counts] of left) {
    const each = [...counts].map(([keyId, count]) => `${keyId} ${grouped(count)}`);
    lines.push(`  ${name.padEnd(16)} ${each.join(", ") || "none"}`);
  }
  const isDone = [...left.values()].every((counts) => others(counts, current) === 0);
  const removable = older.length > 0 ? `; ${older.join(", ")} may be removed` : "";
  lines.push(
    isDone
      ? `Everything is under ${current}${removable} once every process encrypts with ${current}.`
      : `Not everything is under ${current}: bring the missing keys back, or run it again once every process encrypts with ${current}.`,
  );
  return { text: `${lines.join("\n")}\n`, isDone };
}
