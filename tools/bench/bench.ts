// npm run bench [-- NAME…]: measures payrail against baselines of the same run, because absolute
// figures depend on the machine more than on payrail, and ends with one table of aims.

import { mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadConfig } from "../../shared/config/env.ts";
import { migrateConfigured } from "../migrate/migrate.ts";
import { binDirectory, provideBinary } from "../platform/binaries.ts";
import { withDevelopmentKeys } from "../platform/environment.ts";
import { type Lifetime, live, say } from "../platform/lifetime.ts";
import { startMongod } from "../platform/mongod.ts";
import { benchDeliveries } from "./deliveries.ts";
import { benchInvoices } from "./invoices.ts";
import { benchLedger } from "./ledger.ts";
import { benchLedgerNodes } from "./ledger-nodes.ts";
import { benchLedgerProcesses } from "./ledger-processes.ts";
import { benchLists } from "./lists.ts";
import { benchPayments } from "./payments.ts";
import { benchPeers } from "./peers.ts";
import { benchScale } from "./scale.ts";
import { benchStartUp } from "./start-up.ts";
import type { Row } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import {
  type AimRow,
  findBusy,
  formatCount,
  formatFigure,
  formatMeanings,
  formatTable,
  isReached,
} from "./support/table.ts";
import { benchWithdrawals } from "./withdrawals.ts";

/** The benches of the table of aims; all of them run by default. */
const AIMS: Record<string, (setting: Setting) => Promise<AimRow[]>> = {
  ledger: benchLedger,
  withdrawals: benchWithdrawals,
  deliveries: benchDeliveries,
  payments: benchPayments,
  invoices: benchInvoices,
  processes: benchLedgerProcesses,
  start: benchStartUp,
};

/** The benches with a table of their own; they run only by name. */
const OTHERS: Record<string, (setting: Setting) => Promise<Row[]>> = {
  peers: benchPeers,
  scale: benchScale,
  lists: benchLists,
  "ledger-nodes": benchLedgerNodes,
};

const WHOLE = { seconds: 10, subscriptions: 100_000, wallets: 1_000_000 };
const QUICK = { seconds: 0.6, subscriptions: 3_000, wallets: 20_000 };

const USAGE = `npm run bench [-- NAME…] [--quick] [--json]

Measures payrail against baselines of the same run. Without a name: ${Object.keys(AIMS).join(", ")}.
Only by name, with tables of their own: ${Object.keys(OTHERS).join(", ")}.

  --quick             shorter windows, fewer wallets and subscriptions
  --seconds N         the length of a window
  --subscriptions N   the subscriptions that are due at once
  --wallets N         the wallets of the row with many
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    quick: { type: "boolean" },
    seconds: { type: "string" },
    subscriptions: { type: "string" },
    wallets: { type: "string" },
    help: { type: "boolean" },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(AIMS);
const preset = values.quick ? QUICK : WHOLE;
const sizes = {
  seconds: Number(values.seconds ?? preset.seconds),
  subscriptions: Number(values.subscriptions ?? preset.subscriptions),
  wallets: Number(values.wallets ?? preset.wallets),
};

const isRight =
  Object.values(sizes).every((size) => size > 0) &&
  names.every((name) => Object.hasOwn({ ...AIMS, ...OTHERS }, name));

if (values.help || !isRight) {
  say(USAGE);
  process.exitCode = values.help ? 0 : 1;
} else {
  // After Ctrl-C it stops the processes that it started.
  await live(run, 130);
}

async function run({ onStop, end }: Lifetime): Promise<void> {
  const [loadBefore] = loadavg();
  const directory = await mkdtemp(join(tmpdir(), "payrail-bench-"));
  onStop(() => rm(directory, { recursive: true, force: true }));
  const binary = await provideBinary("mongod", binDirectory(), say);
  const mongod = await startMongod({ binary, directory, say });
  onStop(() => mongod.stop());
  const prepare = async (name: string): Promise<Setting> => {
    const url = new URL(mongod.url);
    url.pathname = `/bench_${name}`;
    const environment = withDevelopmentKeys({
      DATA_DIR: directory,
      MONGO_URL: url.href,
      LOG_LEVEL: "error",
    });
    const config = loadConfig(environment);
    await migrateConfigured(config);
    const { seconds, ...counts } = sizes;
    return { config, environment, ms: seconds * 1_000, ...counts, say, onStop };
  };
  const aims: AimRow[] = [];
  const others: Record<string, Row[]> = {};
  for (const name of names) {
    say(`Measuring ${name}`);
    const setting = await prepare(name);
    const [bench, other] = [AIMS[name], OTHERS[name]];
    const rows = (await bench?.(setting)) ?? [];
    // Prints the figures immediately, because a stopped run never prints the table.
    for (const { what, baseline, figure, behind } of rows) {
      const compared = baseline ? `${what} / ${baseline}` : what;
      say(`${compared}: ${formatFigure(figure)}; ${behind}`);
    }
    aims.push(...rows);
    if (other) others[name] = await other(setting);
  }
  const load = (loadBefore as number).toFixed(2);
  const busy = findBusy(Number(load), cpus().length);
  if (values.json) {
    const rows = aims.map((row) => ({ ...row, reached: isReached(row) }));
    const machine = { load: Number(load), isMeasurement: busy === null };
    console.log(JSON.stringify({ ...machine, sizes, aims: rows, ...others }, null, 2));
  } else {
    for (const rows of Object.values(others)) console.table(rows.map(rounded));
    const parts = [busy, describeRun(load), ...(aims.length > 0 ? [formatTable(aims)] : [])];
    console.log(["", ...parts, formatMeanings(aims)].filter((part) => part !== null).join("\n\n"));
  }
  await end(0);
}

/** The load before the run and the sizes, with those of a whole run where they differ. */
function describeRun(load: string): string {
  const units = { seconds: "s a window", wallets: "wallets", subscriptions: "subscriptions" };
  const said = Object.entries(units).map(([name, unit]) => {
    const [here, whole] = [sizes, WHOLE].map((each) =>
      formatCount(each[name as keyof typeof sizes]),
    );
    return here === whole ? `${here} ${unit}` : `${here} ${unit} instead of ${whole}`;
  });
  const { length: cores } = cpus();
  return `Load average before the run ${load} on ${cores} cores; ${said.join(", ")}.`;
}

/** Figures of a shared machine are not precise to two decimals. */
function rounded(row: Row): Row {
  const figures = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === "number" ? Number(value.toFixed(name === "ratio" ? 2 : 1)) : value,
  ]);
  return Object.fromEntries(figures);
}
