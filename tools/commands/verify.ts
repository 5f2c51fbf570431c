// npm run verify [-- --json] [--record] [--head FILE] [--rails]: checks every invariant of the
// books. It uses the database of MONGO_URL, or the running one of DATA_DIR, or starts that one for
// the duration of the command. Without --rails it needs no other setting, neither keys nor NATS.
// Progress goes to stderr, the report to stdout; the usage below explains the exit codes.

import { parseArgs } from "node:util";
import ansis from "ansis";
import type { Connection } from "mongoose";
import packageJson from "../../package.json" with { type: "json" };
import type { Verification } from "../../services/wallet-ledger/verification.model.ts";
import type { Config } from "../../shared/config/config.ts";
import { environmentReader } from "../../shared/config/env-reader.ts";
import { newId } from "../../shared/ids.ts";
import { live, say } from "../platform/lifetime.ts";
import { openDatabase } from "../platform/open-database.ts";
import { duration, grouped, print } from "../platform/output.ts";
import { openRails } from "../platform/partners.ts";
import { SetupError } from "../platform/processes.ts";
import type { VerifyOptions } from "../verify/books.ts";
import { INVARIANTS, type Rule, type VerifyReport } from "../verify/findings.ts";
import { verify } from "../verify/verify.ts";
import { progressTo } from "./progress.ts";
import { readKeptHeads } from "./verify/kept-heads.ts";

const VIOLATED = 1;
const NOT_RUN = 2;

const USAGE = `npm run verify [-- --json] [--record] [--head FILE]... [--head-keys FILE] [--rails]

Checks that the books are right: the ledger's journal by itself, and wallets, fundings, transfers,
payouts, payments, refunds, subscriptions, invoices, usage, application tokens, webhook events and
their deliveries against it. It changes nothing and may run beside live traffic. A database user
with the role read is enough. docs/operate/verify.md lists the proofs and their limits.

  --json            the report as JSON: { ok, checked, violated, violations, violationCount }
  --record          also stores the result in the collection verifications, for
                    GET /v1/admin/verification; its user needs the right to insert there too
  --head FILE       also compares the journal with heads of the ledger that were kept in FILE: a
                    signed head, or JSON or lines with signed heads in them; may be repeated
  --head-keys FILE  checks the signatures of the heads with these keys, which were kept with them
                    (a JWKS, from /.well-known/ledger-keys.json)
  --rails           also checks the files of the rails in RAILS, as their modules read them; needs
                    the modules' own settings
  --help            this text

It reads the database of MONGO_URL, or the one in DATA_DIR (default .data) if MONGO_URL is unset.
Exit code 0: the books are right; 1: a rule is violated; 2: the check did not run to its end.
`;

process.title = "payrail-verify";

await live(async (lifetime) => {
  const options = parseArgs({
    options: {
      json: { type: "boolean" },
      record: { type: "boolean" },
      head: { type: "string", multiple: true, default: [] },
      "head-keys": { type: "string" },
      rails: { type: "boolean" },
      help: { type: "boolean" },
    },
  }).values;
  const { json, record, help, head, "head-keys": headKeys = null, rails } = options;
  if (help) {
    await print(USAGE);
    return lifetime.end(0);
  }
  const heads = readKeptHeads(head, headKeys);
  const began = Date.now();
  const connection = await openDatabase(readPlace(), lifetime);
  const found = await look(connection, {
    heads,
    rails: rails ? await openRails(connection.getClient().db(connection.name)) : [],
  });
  if (record) await store(connection, found, new Date(began));
  if (heads.length > 0 && headKeys === null) {
    say("The signatures of the heads were not checked; --head-keys FILE checks them.");
  }
  await print(json ? `${JSON.stringify(found, null, 2)}\n` : readable(found, Date.now() - began));
  await lifetime.end(found.ok ? 0 : VIOLATED);
}, NOT_RUN);

/** Only the location of the books is read, so that the command needs no other configuration. */
function readPlace(): Pick<Config, "mongoUrl" | "dataDir"> {
  const wrong: string[] = [];
  const { text } = environmentReader(process.env, wrong);
  const place = { mongoUrl: text("MONGO_URL"), dataDir: text("DATA_DIR") ?? ".data" };
  if (wrong.length > 0) throw new SetupError(`${wrong.join(". ")}.`);
  return place;
}

async function look(
  connection: Connection,
  against: Pick<VerifyOptions, "heads" | "rails">,
): Promise<VerifyReport> {
  const progress = progressTo(process.stderr);
  const options = { onProgress: progress.tell, ...against };
  const found = await verify(connection, options).finally(progress.end);
  if (Object.values(found.checked).every((count) => count === 0)) {
    throw new SetupError(`There are no books in the database ${connection.name}; see MONGO_URL.`);
  }
  return found;
}

/** Stores the result; wallet-ledger shows the last one. */
async function store(
  connection: Connection,
  { ok, checked, violated, violations, violationCount }: VerifyReport,
  startedAt: Date,
): Promise<void> {
  const rules = Object.entries(INVARIANTS).map(([rule, [, of]]) => ({
    rule,
    checked: checked[of] ?? 0,
    violations: violated[rule] ?? 0,
  }));
  const result: Verification = {
    _id: newId(),
    startedAt,
    finishedAt: new Date(),
    version: packageJson.version,
    ...{ ok, violationCount, rules, violations },
  };
  await connection
    .getClient()
    .db(connection.name)
    .collection<Verification>("verifications")
    .insertOne(result, { writeConcern: { w: "majority", j: true } });
}

function readable(report: VerifyReport, elapsedMs: number): string {
  const { ok, checked, violated, violations, violationCount } = report;
  const lines: string[] = [];
  for (const [rule, [holds, of]] of Object.entries(INVARIANTS)) {
    const count = violated[rule as Rule] ?? 0;
    const verdict = count === 0 ? ansis.green("ok   ") : ansis.red("WRONG");
    lines.push(`${verdict} ${rule.padEnd(11)} ${holds} (${grouped(checked[of] ?? 0)} ${of})`);
    const listed = violations.filter((violation) => violation.rule === rule);
    for (const { detail } of listed) lines.push(`        ${detail}`);
    if (count > listed.length) lines.push(`        and ${grouped(count - listed.length)} more`);
  }
  const verdict = ok
    ? ansis.green("The books are right.")
    : ansis.red(`The books are wrong: ${grouped(violationCount)} violations.`);
  lines.push(`${verdict} ${grouped(checked.transfers ?? 0)} transfers in ${duration(elapsedMs)}.`);
  return `${lines.join("\n")}\n`;
}
