// npm run hold-billing: a step of a restore (docs/operate/restore.md). The usage below says what it
// does.

import { parseArgs } from "node:util";
import { holdBilling } from "../../services/payment-links/billing/hold.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { live } from "../platform/lifetime.ts";
import { openDatabase } from "../platform/open-database.ts";
import { grouped, print } from "../platform/output.ts";

const USAGE = `npm run hold-billing

Holds the billing of all subscriptions by usage and by seats. Run it after a restore, before any
service runs: the books lack the usage and the seats that were reported since the restore point, and
their invoices would be for other sums than the acquirer has charged. An operator releases them with
POST /v1/admin/billing/release, once merchants have reported again. docs/operate/restore.md
has the steps.
To run it again changes nothing.

  --help   this text

It uses the database of MONGO_URL, or the one in DATA_DIR (default .data) if MONGO_URL is unset. The
user of payment-links has the rights that it needs. Exit code 0: they are held; 1: they are not.
`;

process.title = "payrail-hold-billing";

await live(async (lifetime) => {
  const { help } = parseArgs({ options: { help: { type: "boolean" } } }).values;
  if (help) {
    await print(USAGE);
    return lifetime.end(0);
  }
  const config = loadConfig(process.env, "hold-billing");
  const connection = await openDatabase(config, lifetime);
  const db = connection.getClient().db(connection.name);
  const held = await holdBilling(db.collection("subscriptions"), Date.now());
  await print(`Held until they are released: ${grouped(held)} subscriptions.\n`);
  await lifetime.end(0);
}, 1);
