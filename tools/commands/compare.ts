// npm run compare: compares the books with the list of a rail or an acquirer; it resolves nothing.
// It writes each difference to stdout immediately; the usage below explains the exit codes.

import { parseArgs } from "node:util";
import { DateTime } from "luxon";
import { loadConfig } from "../../shared/config/env.ts";
import { parseDuration } from "../../shared/config/env-values.ts";
import { live } from "../platform/lifetime.ts";
import { openDatabase } from "../platform/open-database.ts";
import { print } from "../platform/output.ts";
import { SetupError } from "../platform/processes.ts";
import { openBooks } from "./compare/books.ts";
import { compare } from "./compare/compare.ts";
import type { Partner } from "./compare/list.ts";
import { findPartner } from "./compare/partners.ts";
import { jsonReport, readableReport } from "./compare/report.ts";

const DIFFERENT = 1;
const NOT_RUN = 2;

const USAGE = `npm run compare -- --rail NAME --since MOMENT [--margin 15m] [--json]
npm run compare -- --acquirer NAME --since MOMENT [--margin 15m] [--json]

Compares the books with the list of payments of a rail or an acquirer, from a moment on, and prints
each difference. It changes nothing, resolves nothing and may run beside live traffic. A database
user that may only read is enough.

  --rail       the name of a rail of RAILS, or sandbox
  --acquirer   the name of the acquirer of ACQUIRER, or sandbox
  --since      ISO 8601, such as 2026-11-01T00:00:00Z; UTC if it names no offset
  --margin     a change within this time counts as on its way to the other side, not as a difference
  --json       a JSON object for each difference, one per line, and { summary } at the end
  --help       this text

It reads the database of MONGO_URL, or the one in DATA_DIR (default .data) if MONGO_URL is unset.
The ids of the partner's list go to a temporary file in TMPDIR, so that memory stays flat.
Exit code 0: no difference; 1: there are differences; 2: the comparison did not run to its end.
`;

process.title = "payrail-compare";

await live(async (lifetime) => {
  const options = readOptions();
  if (!options) {
    await print(USAGE);
    return lifetime.end(0);
  }
  const { role, name, since, marginMs, json } = options;
  const config = loadConfig(process.env, "compare");
  const connection = await openDatabase(config, lifetime);
  const db = connection.getClient().db(connection.name);
  const partner = await findPartner(config, db, role, name);
  const { line, end } = json ? jsonReport : readableReport(partner);
  const comparison = { partner, books: openBooks(db), since, marginMs };
  const summary = await compare(comparison, (difference) => print(line(difference)));
  await print(end(summary));
  await lifetime.end(Object.keys(summary.differences).length === 0 ? 0 : DIFFERENT);
}, NOT_RUN);

/**
 * Reads the options of the command line; null for a request for help.
 * @throws SetupError if an option is missing or wrong
 */
function readOptions() {
  const { values } = parseArgs({
    options: {
      rail: { type: "string" },
      acquirer: { type: "string" },
      since: { type: "string" },
      margin: { type: "string", default: "15m" },
      json: { type: "boolean", default: false },
      help: { type: "boolean" },
    },
  });
  const { rail, acquirer, since, margin, json, help } = values;
  if (help) return null;
  const name = rail ?? acquirer;
  if (!name || (rail !== undefined && acquirer !== undefined)) {
    throw new SetupError("Say which list: --rail NAME or --acquirer NAME; see --help.");
  }
  const moment = DateTime.fromISO(since ?? "", { zone: "utc" });
  if (!moment.isValid || moment.toMillis() > Date.now()) {
    throw new SetupError(
      "--since must be a past moment in ISO 8601, such as 2026-11-01T00:00:00Z.",
    );
  }
  const marginMs = parseDuration(margin);
  if (marginMs === null) throw new SetupError("--margin must be a duration such as 15m.");
  const role: Partner["role"] = rail === undefined ? "acquirer" : "rail";
  return { role, name, since: moment.toMillis(), marginMs, json };
}
