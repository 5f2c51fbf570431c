// npm run bank-files -- --rail NAME: shows the files of a rail that pays by files, and takes an
// operator's decisions about them. The usage below explains the commands.

import { parseArgs } from "node:util";
import type { AnswerRecord, BatchRecord } from "../../partners/bank-files/books.ts";
import {
  confirmHanded,
  DecisionRefused,
  endHeld,
  handOverAgain,
  noteSeen,
} from "../../partners/bank-files/desk.ts";
import type { BankFilesRail } from "../../partners/bank-files/rail.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { toDecimal } from "../../shared/money.ts";
import { type Lifetime, live } from "../platform/lifetime.ts";
import { openDatabase } from "../platform/open-database.ts";
import { print } from "../platform/output.ts";
import { openRails } from "../platform/partners.ts";
import { SetupError } from "../platform/processes.ts";

const USAGE = `npm run bank-files -- --rail NAME [COMMAND]

  list           the newest files and answers, and what a person has to look at; without a command
                 too
  handed FILE    the bank has this held file: its payments wait for the bank's answers
  again FILE     the bank does not have this held file: it is handed over again. Ask the bank first,
                 because a bank that has the file may pay it twice
  paid FILE      the bank has made all payments of this held file that have not ended
  refused FILE   the bank will make none of the payments of this held file that have not ended: their
                 money goes back
  seen ANSWER    the answer is understood: it is not listed any more, it holds no payment, and its
                 parts that changed nothing are not tried again
  seen PAYMENT   the problem of this failed payment is understood

A single payment that a problem holds is decided in the console, or by
POST /v1/admin/transactions/ID/resolve.

  --rail NAME    a rail of RAILS that pays by files; its module needs its own settings
  --help         this text

FILE is a name without its ending, such as PAYOUT-261126-000012. It reads the database of
MONGO_URL, or the one in DATA_DIR (default .data) if MONGO_URL is unset.
Exit code 0: done; 2: not done, and nothing has changed.
`;

const NOT_DONE = 2;
const LISTED_AT_MOST = 20;

type Decide = (deps: BankFilesRail["deps"], subject: string) => Promise<void>;

const DECISIONS: Partial<Record<string, Decide>> = {
  handed: confirmHanded,
  again: handOverAgain,
  paid: (deps, file) => endHeld(deps, file, "settled"),
  refused: (deps, file) => endHeld(deps, file, "rejected"),
  seen: noteSeen,
};

process.title = "payrail-bank-files";

await live(async (lifetime) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rail: { type: "string" }, help: { type: "boolean" } },
  });
  const [command = "list", subject, ...others] = positionals;
  if (values.help) {
    await print(USAGE);
    return lifetime.end(0);
  }
  const decide = DECISIONS[command];
  const isWhole = others.length === 0 && (decide !== undefined) === (subject !== undefined);
  if (!isWhole || (!decide && command !== "list")) throw new SetupError(USAGE);
  const rail = await openRail(values.rail, lifetime);
  if (decide && subject !== undefined) {
    await decide(rail.deps, subject).catch((error: unknown) => {
      throw error instanceof DecisionRefused ? new SetupError(`${error.message}.`) : error;
    });
    await print(`${command} ${subject}: done\n`);
  } else {
    await print(await describe(rail));
  }
  await lifetime.end(0);
}, NOT_DONE);

/** @throws SetupError if no rail of files has the name */
async function openRail(name: string | undefined, lifetime: Lifetime): Promise<BankFilesRail> {
  const config = loadConfig(process.env, "verify");
  const connection = await openDatabase(config, lifetime);
  const rails = await openRails(connection.getClient().db(connection.name));
  const ofFiles = rails.filter((rail) => "deps" in rail) as BankFilesRail[];
  const rail = ofFiles.find((each) => each.name === name);
  if (rail) return rail;
  const names = ofFiles.map((each) => each.name).join(", ") || "none";
  throw new SetupError(`--rail must name a rail of RAILS that pays by files: ${names}.`);
}

async function describe(rail: BankFilesRail): Promise<string> {
  const { batches, answers } = rail.deps.books;
  const [files, read, problems = []] = await Promise.all([
    batches.find().sort({ number: -1 }).limit(LISTED_AT_MOST).toArray(),
    answers.find().sort({ at: -1 }).limit(LISTED_AT_MOST).toArray(),
    rail.problems?.(),
  ]);
  return [
    ...(files.length > 0 ? files.map(describeFile) : ["No file yet."]),
    ...read.map(describeAnswer),
    ...problems.map((problem) => `To look at: ${problem}`),
    "",
  ].join("\n");
}

function describeFile(batch: BatchRecord): string {
  const { _id, state, puts, count, amountMinor, currency, settlesOn } = batch;
  const payments = count === 1 ? "1 payment" : `${count} payments`;
  const times = (puts ?? 0) > 1 ? `, put ${puts} times` : "";
  const sum = `${toDecimal(amountMinor)} ${currency}`;
  return `${_id}  ${state.padEnd(7)}  ${payments}, ${sum}, settles on ${settlesOn}${times}`;
}

function describeAnswer({ name, problem, held = [], ours, passedOver }: AnswerRecord): string {
  if (problem !== undefined) return `Answer ${name}  not read`;
  // An answer that an older version has read has no counts.
  const counts = ours === undefined ? "read" : `${ours} of ours, ${passedOver} passed over`;
  const parts = held.length > 0 ? `, ${held.length} parts changed nothing` : "";
  return `Answer ${name}  ${counts}${parts}`;
}
