// npm run migrate: brings the database to this version's schema. The usage below says how.

import { parseArgs } from "node:util";
import { loadConfig } from "../../shared/config/env.ts";
import { SCHEMA_VERSION } from "../../shared/storage/schema-version.ts";
import { migrate } from "../migrate/migrate.ts";
import { live, say } from "../platform/lifetime.ts";
import { openDatabase } from "../platform/open-database.ts";
import { print } from "../platform/output.ts";

const USAGE = `npm run migrate

Makes the collections and indexes that this version of payrail needs, changes those that differ,
runs its data migrations, and writes the version of the schema into the database. A new database
gets its mode by SANDBOX, for good. Services of this version wait for it; those of the previous
version run on.

Building an index blocks neither reads nor writes. The command may be interrupted and run again, and
two at once do no harm. It drops no index except the old form of one that it has built anew.

  --help   this text

It uses the database of MONGO_URL, or the one in DATA_DIR (default .data) if MONGO_URL is unset, and
SANDBOX (default false with NODE_ENV=production, else true), and needs no other setting. Progress
goes to stderr. Exit code 0: the database has the schema; 1: it has not.
`;

process.title = "payrail-migrate";

await live(async (lifetime) => {
  const { help } = parseArgs({ options: { help: { type: "boolean" } } }).values;
  if (help) {
    await print(USAGE);
    return lifetime.end(0);
  }
  const config = loadConfig(process.env, "migrate");
  const connection = await openDatabase(config, lifetime);
  await migrate(connection.getClient().db(connection.name), config, { say });
  await print(`The database ${connection.name} has schema ${SCHEMA_VERSION}.\n`);
  await lifetime.end(0);
}, 1);
