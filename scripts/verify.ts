// npm run verify [-- --json]: checks every invariant of the books. It uses the database of
// MONGO_URL, or the running one of DATA_DIR, or starts that one for the duration of the command,
// and needs no other setting, neither keys nor NATS. Progress goes to stderr, the report to stdout;
// the usage below explains the exit codes.

import { parseArgs } from "node:util";
import mongoose from "mongoose";
import type { VerifyReport } from "../verification/findings.ts";
import { verify } from "../verification/verify.ts";
import { databaseUrl } from "./support/database-url.ts";
import { type Lifetime, live, report } from "./support/lifetime.ts";
import { requireMongo } from "./support/preflight.ts";
import { SetupError } from "./support/processes.ts";
import { print, progressTo } from "./support/progress.ts";
import { readable } from "./support/verify-report.ts";

const VIOLATED = 1;
const COULD_NOT_LOOK = 2;

const USAGE = `npm run verify [-- --json]

Checks that the books are right: the ledger's journal by itself, and wallets, fundings, transfers,
payouts, payments, refunds, subscriptions, invoices, usage, application tokens, webhook events and
their deliveries against it. It changes nothing, may run beside live traffic, and needs a database user
with the role read alone. docs/verify.md says what it proves and what it cannot see.

  --json   the report as JSON: { ok, checked, violated, violations, violationCount }
  --help   this

It looks at the database of MONGO_URL, else at the one in DATA_DIR (default .data).
Exit code 0: the books are right; 1: something is violated; 2: it could not look.
`;

process.title = "payrail-verify";

await live(async (lifetime) => {
  try {
    const { json, help } = parseArgs({
      options: { json: { type: "boolean" }, help: { type: "boolean" } },
    }).values;
    if (help) {
      await print(USAGE);
      return await lifetime.end(0);
    }
    const began = Date.now();
    const found = await look(await databaseUrl(place(), lifetime), lifetime);
    await print(json ? `${JSON.stringify(found, null, 2)}\n` : readable(found, Date.now() - began));
    await lifetime.end(found.ok ? 0 : VIOLATED);
  } catch (error) {
    report(error);
    await lifetime.end(COULD_NOT_LOOK);
  }
}, COULD_NOT_LOOK);

/** Reads only the location of the books, so that the command needs no other configuration. */
function place() {
  const { MONGO_URL, DATA_DIR } = process.env;
  return { mongoUrl: MONGO_URL?.trim() || null, dataDir: DATA_DIR?.trim() || ".data" };
}

async function look(url: string, lifetime: Lifetime): Promise<VerifyReport> {
  await requireMongo(url);
  const connection = await mongoose.createConnection(url, { autoIndex: false }).asPromise();
  lifetime.onStop(() => connection.close());
  const progress = progressTo(process.stderr);
  const found = await verify(connection, { onProgress: progress.tell }).finally(progress.end);
  if (Object.values(found.checked).every((count) => count === 0)) {
    throw new SetupError(`There are no books in the database ${connection.name}; see MONGO_URL.`);
  }
  return found;
}
