// npm run verify [-- --json]: checks every invariant of the books against the journal. It finds the
// database by MONGO_URL, or the one that runs in DATA_DIR, or starts that one for the time being.
// Exit code 1 where something is violated, 2 where it could not look.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import mongoose from "mongoose";
import { verify } from "../services/wallet-ledger/verify.ts";
import type { VerifyReport } from "../shared/contracts/wallet-ledger.ts";
import { loadConfig } from "../shared/env.ts";
import { provideBinary } from "./support/binaries.ts";
import { withDevelopmentKeys } from "./support/environment.ts";
import { type Lifetime, live, report, say } from "./support/lifetime.ts";
import { runningMongod, startMongod } from "./support/mongod.ts";
import { requireMongo } from "./support/preflight.ts";
import { SetupError } from "./support/processes.ts";

const VIOLATED = 1;
const COULD_NOT_LOOK = 2;

process.title = "payrail-verify";

await live(async (lifetime) => {
  try {
    const { json } = parseArgs({ options: { json: { type: "boolean", default: false } } }).values;
    const found = await look(await databaseUrl(lifetime), lifetime);
    process.stdout.write(json ? `${JSON.stringify(found, null, 2)}\n` : readable(found));
    await lifetime.end(found.ok ? 0 : VIOLATED);
  } catch (error) {
    report(error);
    await lifetime.end(COULD_NOT_LOOK);
  }
}, COULD_NOT_LOOK);

async function databaseUrl(lifetime: Lifetime): Promise<string> {
  const { mongoUrl, dataDir } = loadConfig(withDevelopmentKeys(process.env));
  const running = mongoUrl ?? (await runningMongod(dataDir));
  if (running) return running;
  if (!existsSync(join(dataDir, "db"))) {
    throw new SetupError(
      `DATA_DIR ${dataDir} holds no database; set MONGO_URL, or DATA_DIR to where payrail ran.`,
    );
  }
  const binary = await provideBinary("mongod", join(dataDir, "bin"), say);
  say(`Starting MongoDB (data in ${dataDir})`);
  const mongod = await startMongod({ binary, directory: dataDir, say });
  lifetime.onStop(() => mongod.stop());
  return mongod.url;
}

async function look(url: string, lifetime: Lifetime): Promise<VerifyReport> {
  await requireMongo(url);
  const connection = await mongoose.createConnection(url, { autoIndex: false }).asPromise();
  lifetime.onStop(() => connection.close());
  const found = await verify(connection, {
    onProgress: (blocks, ofBlocks) => say(`${blocks} of about ${ofBlocks} blocks`),
  });
  if (Object.values(found.checked).every((count) => count === 0)) {
    throw new SetupError(`There are no books in the database ${connection.name}; see MONGO_URL.`);
  }
  return found;
}

function readable({ ok, checked, violations, violationCount }: VerifyReport): string {
  const counts = Object.entries(checked).map(([what, count]) => `${count} ${what}`);
  const lines = [`Checked ${counts.join(", ")}.`];
  for (const { rule, detail } of violations) lines.push(`  ${rule}: ${detail}`);
  const unlisted = violationCount - violations.length;
  if (unlisted > 0) lines.push(`  and ${unlisted} more`);
  lines.push(ok ? "The books are right." : `${violationCount} violations.`);
  return `${lines.join("\n")}\n`;
}
