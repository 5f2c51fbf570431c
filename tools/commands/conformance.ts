// npm run conformance -- MODULE: checks the module of a rail, an acquirer or a screening against its
// promises and names the broken ones. The usage below explains the exit codes.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadConfig } from "../../shared/config/env.ts";
import { PAYOUT_METHODS, type PayoutMethod } from "../../shared/config/payout-methods.ts";
import { CURRENCIES, type Currency } from "../../shared/money.ts";
import { examine, type Report } from "../conformance/examine.ts";
import { type Account, CouldNotTry, type Options } from "../conformance/session.ts";
import { withDevelopmentKeys } from "../platform/environment.ts";
import { type Lifetime, live } from "../platform/lifetime.ts";
import { runningMongod } from "../platform/mongod.ts";
import { provideMongo } from "../platform/open-database.ts";
import { print } from "../platform/output.ts";
import { SetupError } from "../platform/processes.ts";

const BROKEN = 1;
const COULD_NOT_TRY = 2;

const USAGE = `npm run conformance -- MODULE [options]

Checks the module of a rail, an acquirer or a screening against its promises, and names the broken
ones. The
check pays, charges and refunds test money, and asks nothing of a module that does not say
test: true. It kills the module's process in between and starts it again.

  --amount N        in minor units, at least 3 (1000)
  --currency CODE   ${CURRENCIES.join(", ")} (USD)
  --within S        seconds that a payment may take to end (30)
  --json            the report as JSON: { module, kind, name, promises }
  --help            this text

A rail:
  --method NAME     ${PAYOUT_METHODS.join(", ")} (ACH)
  --account FILE    the JSON that instrument() opens, with the accountNumber of a destination where
                    payments settle (an invented bank account)
  --problem-account FILE
                    the same of a destination whose payments have a problem, for a rail with decide

An acquirer:
  --card-token T    its vault's token of a card where charges succeed

The module's books are in the database of MONGO_URL, or in the one of DATA_DIR (default .data), which
is started for the duration of the command.

Exit code 0: the module keeps all promises; 1: it breaks one; 2: it could not be loaded, or a
promise could not be tried.
`;

const ACCOUNT = {
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@example.com",
  bankName: "First Bank",
  accountNumber: "918273646789",
  routingNumber: "021000021",
  accountType: "CHECKING",
  recipientAddress: "1 Main St",
  recipientCity: "New York",
  recipientState: "NY",
  recipientPostalCode: "10001",
};

process.title = "payrail-conformance";

await live(async (lifetime) => {
  const { values, positionals } = readArguments();
  if (values.help) {
    await print(USAGE);
    return lifetime.end(0);
  }
  const [module, ...others] = positionals;
  if (module === undefined || others.length > 0) throw new SetupError(USAGE);
  const options = parseOptions(values);
  const environment = { ...process.env, MONGO_URL: await findDatabase(lifetime) };
  const found = await examine(module, { ...options, environment }).catch((error: unknown) => {
    throw error instanceof CouldNotTry ? new SetupError(`Not tried: ${error.message}`) : error;
  });
  await print(values.json ? `${JSON.stringify({ module, ...found }, null, 2)}\n` : readable(found));
  await lifetime.end(chooseExitCode(found));
}, COULD_NOT_TRY);

function readArguments() {
  return parseArgs({
    allowPositionals: true,
    options: {
      amount: { type: "string", default: "1000" },
      currency: { type: "string", default: "USD" },
      within: { type: "string", default: "30" },
      method: { type: "string", default: "ACH" },
      account: { type: "string" },
      "problem-account": { type: "string" },
      "card-token": { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
}

/** The database for the module's books: MONGO_URL, or the one in DATA_DIR, started if need be. */
async function findDatabase(lifetime: Lifetime): Promise<string> {
  const { mongoUrl, dataDir } = loadConfig(withDevelopmentKeys(process.env), "migrate");
  const running = mongoUrl ?? (await runningMongod(dataDir));
  return provideMongo({ mongoUrl: running, dataDir }, lifetime);
}

/** @throws SetupError if an option is wrong */
function parseOptions(
  values: ReturnType<typeof readArguments>["values"],
): Omit<Options, "environment"> {
  const { account, "problem-account": problemAccount, "card-token": cardToken = null } = values;
  const amountMinor = Number(values.amount);
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 3) {
    throw new SetupError("--amount must be a whole number of minor units, at least 3.");
  }
  const endsWithinMs = Number(values.within) * 1_000;
  if (!(endsWithinMs > 0)) throw new SetupError("--within must be a number of seconds.");
  return {
    amountMinor,
    endsWithinMs,
    cardToken,
    currency: requireOneOf<Currency>("--currency", values.currency, CURRENCIES),
    method: requireOneOf<PayoutMethod>("--method", values.method, PAYOUT_METHODS),
    account: account === undefined ? ACCOUNT : readAccount("--account", account),
    problemAccount:
      problemAccount === undefined ? null : readAccount("--problem-account", problemAccount),
  };
}

function requireOneOf<T extends string>(option: string, given: string, values: readonly T[]): T {
  const found = values.find((value) => value === given);
  if (found === undefined) throw new SetupError(`${option} must be one of ${values.join(", ")}.`);
  return found;
}

function readAccount(option: string, path: string): Account {
  const account = JSON.parse(readFileSync(path, "utf8")) as Partial<Account>;
  if (typeof account?.accountNumber !== "string" || account.accountNumber.length < 8) {
    throw new SetupError(`${option} must have an accountNumber of at least 8 characters.`);
  }
  return account as Account;
}

/** One line for each promise; the reason follows if it is broken. */
function readable({ kind, name, promises }: Report): string {
  const lines = promises.map(({ name: promise, verdict, says, because, observed }) => {
    if (verdict === "kept") return `kept     ${promise}: ${says}`;
    if (verdict === "untried") return `untried  ${promise}: ${says}; ${observed}`;
    return `BROKEN   ${promise}: ${says}; observed: ${observed}; why it matters: ${because}`;
  });
  const count = (verdict: string) => promises.filter((each) => each.verdict === verdict).length;
  const counts = `${count("kept")} kept, ${count("broken")} broken, ${count("untried")} untried`;
  return `${[`${kind} ${name ?? "(not accepted)"}`, ...lines, counts].join("\n")}\n`;
}

function chooseExitCode({ promises }: Report): number {
  if (promises.some(({ verdict }) => verdict === "broken")) return BROKEN;
  // A list is optional.
  const isTried = promises.every(
    ({ verdict, observed }) => verdict !== "untried" || observed?.endsWith("has no list"),
  );
  return isTried ? 0 : COULD_NOT_TRY;
}
