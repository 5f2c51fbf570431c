// payrail get and payrail list: read any endpoint, as JSON or as lines.

import { type Command, type Given, textOf, UsageError } from "./command.ts";

/** The resources of a business have its path, except the one of a single transaction. */
const OF_BUSINESS = "/v1/business/{businessId}/";
const SINGLE: Record<string, string> = { transactions: "/v1/transactions/{id}" };

/** The fields that a line of a list shows, in this order, if the item has them. */
const SHOWN = ["id", "flow", "eventType", "status", "amount", "balance", "currency"];
const NAMES = ["name", "recipient", "counterPartyName", "email", "url", "reference", "createdAt"];

const LISTED = 20;

export const get: Command = {
  summary: "Show one resource, or the answer of a path",
  help: `payrail get <resources> <id> [name=value …]
payrail get <path> [name=value …]

Prints a resource as JSON: payrail get payments 0198c0de-…. The resources have their names of the
REST API: transactions, payments, payment-links, subscriptions, entities, wallets, webhooks, events
and so on. A path may be any that answers GET; payrail fills {businessId} in:

  payrail get '/v1/business/{businessId}'

  --json  in one line
`,
  options: {},

  async run({ values, positionals, print, payrail: connect }: Given): Promise<void> {
    const [what = "", ...more] = positionals;
    const isPath = what.startsWith("/");
    const [id, ...rest] = isPath ? ["", ...more] : more;
    if (what === "" || id === undefined || (!isPath && id.includes("="))) {
      throw new UsageError("Name a path, or resources and an id");
    }
    const path = isPath ? what : (SINGLE[what] ?? `${OF_BUSINESS}${what}/{id}`);
    const params = { ...readPairs(rest), ...(!isPath && { id }) };
    const found = await connect().get(path, params);
    print(values.json ? "" : JSON.stringify(found, null, 2), found as object);
  },
};

export const list: Command = {
  summary: "List resources, newest first where there is no end of them",
  help: `payrail list <resources> [name=value …] [--limit ${LISTED}]

Prints a line for each resource: payrail list transactions status=FAILED from=2026-11-01. The filters
are the parameters of the list in the REST API. A path with a list is possible too, and resources
that have one more part: payrail list linked-accounts/USD.

  --limit  how many at most, ${LISTED} by default
  --json   a line of JSON with the whole resource for each
`,
  options: { limit: { type: "string" } },

  async run({ values, positionals, print, payrail: connect }: Given): Promise<void> {
    const [what, ...rest] = positionals;
    if (what === undefined || what.includes("=")) throw new UsageError("Name resources or a path");
    const { limit: asFilter, ...filters } = readPairs(rest);
    const limit = Number(textOf(values, "limit") ?? asFilter ?? LISTED);
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new UsageError("--limit must be a whole number, at least 1");
    }
    const path = what.startsWith("/") ? what : OF_BUSINESS + what;
    const found = connect().list(path, filters);
    for (const item of await found.toArray({ limit })) print(toLine(item), item);
  },
};

/** Reads `name=value` pairs. @throws UsageError for anything else */
function readPairs(pairs: string[]): Record<string, string> {
  const read = pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw new UsageError(`${pair} must be a filter, name=value`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return Object.fromEntries(read);
}

function toLine(item: Record<string, unknown>): string {
  const { name: recipient } = Object(item["recipient"]) as { name?: unknown };
  const fields = { ...item, recipient } as Record<string, unknown>;
  const shown = [...SHOWN, ...NAMES].map((name) => fields[name]);
  return shown.filter((value) => value !== undefined && value !== null && value !== "").join("  ");
}
