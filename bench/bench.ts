// npm run bench [-- NAME…] [--json] [--seconds N] [--subscriptions N]: measures ratios to a
// baseline of the same run, because absolute figures depend on the machine more than on payrail.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { migrateConfigured } from "../scripts/migrate/migrate.ts";
import { provideBinary } from "../scripts/support/binaries.ts";
import { withDevelopmentKeys } from "../scripts/support/environment.ts";
import { type Lifetime, live, say } from "../scripts/support/lifetime.ts";
import { startMongod } from "../scripts/support/mongod.ts";
import { loadConfig } from "../shared/env.ts";
import { benchBilling } from "./billing.ts";
import { benchLedger } from "./ledger.ts";
import { benchLinks } from "./links.ts";
import { benchLists } from "./lists.ts";
import { benchObserved } from "./observed.ts";
import { benchPeers } from "./peers.ts";
import { benchScale } from "./scale.ts";
import type { Row } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import { benchWebhooks } from "./webhooks.ts";
import { benchWithdrawals } from "./withdrawals.ts";

const BENCHES: Record<string, (setting: Setting) => Promise<Row[]>> = {
  ledger: benchLedger,
  peers: benchPeers,
  withdrawals: benchWithdrawals,
  scale: benchScale,
  links: benchLinks,
  lists: benchLists,
  webhooks: benchWebhooks,
  billing: benchBilling,
  observed: benchObserved,
};

const USAGE = `npm run bench [-- NAME…] [--seconds N] [--subscriptions N] [--json]; names: ${Object.keys(BENCHES).join(", ")}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    seconds: { type: "string", default: "3" },
    subscriptions: { type: "string", default: "2000" },
    help: { type: "boolean" },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const seconds = Number(values.seconds);
const subscriptions = Number(values.subscriptions);

const isRight =
  seconds > 0 && subscriptions >= 1 && names.every((name) => Object.hasOwn(BENCHES, name));

if (values.help || !isRight) {
  say(USAGE);
  process.exitCode = values.help ? 0 : 1;
} else {
  // After Ctrl-C it stops the processes that it started.
  await live(run, 130);
}

async function run({ onStop, end }: Lifetime): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "payrail-bench-"));
  onStop(() => rm(directory, { recursive: true, force: true }));
  const binaries = join(process.env.DATA_DIR ?? ".data", "bin");
  const binary = await provideBinary("mongod", binaries, say);
  const mongod = await startMongod({ binary, directory, say });
  onStop(() => mongod.stop());
  const results: Record<string, Row[]> = {};
  for (const name of names) {
    say(`Measuring ${name}`);
    const bench = BENCHES[name] as (setting: Setting) => Promise<Row[]>;
    const url = new URL(mongod.url);
    url.pathname = `/bench_${name}`;
    const environment = withDevelopmentKeys({
      DATA_DIR: directory,
      MONGO_URL: url.href,
      LOG_LEVEL: "error",
    });
    const config = loadConfig(environment);
    await migrateConfigured(config);
    results[name] = await bench({
      config,
      environment,
      binaries,
      ms: seconds * 1_000,
      subscriptions,
      say,
      onStop,
    });
  }
  if (values.json) console.log(JSON.stringify(results, null, 2));
  else for (const rows of Object.values(results)) console.table(rows.map(rounded));
  await end(0);
}

/** Figures of a shared machine are not precise to two decimals. */
function rounded(row: Row): Row {
  return { ...row, ...(typeof row.ratio === "number" && { ratio: Number(row.ratio.toFixed(2)) }) };
}
