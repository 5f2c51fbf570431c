// npm run bench [-- ledger|withdrawals] [--json] [--seconds N]: figures as ratios to a baseline of the
// same run, because absolute ones say more of the machine than of payrail.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { provideBinary } from "../scripts/support/binaries.ts";
import { withDevelopmentKeys } from "../scripts/support/environment.ts";
import { startMongod } from "../scripts/support/mongod.ts";
import { type Config, loadConfig } from "../shared/env.ts";
import { benchLedger } from "./ledger.ts";
import type { Row } from "./support/rate.ts";

const BENCHES: Record<string, (config: Config, ms: number) => Promise<Row[]>> = {
  ledger: benchLedger,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, seconds: { type: "string", default: "3" } },
});
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const say = (line: string) => process.stderr.write(`${line}\n`);

const directory = await mkdtemp(join(tmpdir(), "payrail-bench-"));
const binary = await provideBinary("mongod", join(process.env.DATA_DIR ?? ".data", "bin"), say);
const mongod = await startMongod({ binary, directory, say, database: "bench" });
/** Each bench has a database of its own. */
function configFor(mongoUrl: string, name: string): Config {
  const url = new URL(mongoUrl);
  url.pathname = `/bench_${name}`;
  const environment = { DATA_DIR: directory, MONGO_URL: url.href, LOG_LEVEL: "error" };
  return loadConfig(withDevelopmentKeys(environment));
}

const results: Record<string, Row[]> = {};
try {
  for (const name of names) {
    const bench = BENCHES[name];
    if (!bench) throw new Error(`No bench ${name}; there are ${Object.keys(BENCHES).join(", ")}`);
    say(`Measuring ${name}`);
    results[name] = await bench(configFor(mongod.url, name), Number(values.seconds) * 1_000);
  }
} finally {
  await mongod.stop();
  await rm(directory, { recursive: true, force: true });
}
if (values.json) console.log(JSON.stringify(results, null, 2));
else for (const rows of Object.values(results)) console.table(rows);
