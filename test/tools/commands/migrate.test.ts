// npm run migrate, and services on a database that it has not migrated: exit codes, and one
// sentence for each problem.

import mongoose from "mongoose";
import { SCHEMA_VERSION } from "../../../shared/storage/schema-version.ts";
import { inSandbox, runNode, type Sandbox } from "../../support/scripts.ts";
import { testEnvironment, until } from "../../support/system.ts";

async function run(place: Sandbox, script: string, args: string[], extra: NodeJS.ProcessEnv) {
  const { exit, stdout, stderr } = runNode(script, args, { ...place.environment, ...extra });
  return { code: (await exit).code, stdout: stdout(), stderr: stderr().trim() };
}

/** Runs work on a new database that was migrated over the command. */
async function onMigrated(place: Sandbox, work: (url: string, name: string) => Promise<void>) {
  const { MONGO_URL } = testEnvironment() as { MONGO_URL: string };
  const name = new URL(MONGO_URL).pathname.slice(1);
  const migrated = await run(place, "tools/commands/migrate.ts", [], { MONGO_URL });
  const stdout = `The database ${name} has schema ${SCHEMA_VERSION}.\n`;
  expect(migrated).toEqual({ code: 0, stdout, stderr: "" });
  const connection = await mongoose.createConnection(MONGO_URL).asPromise();
  try {
    await work(MONGO_URL, name);
  } finally {
    await connection.dropDatabase();
    await connection.close();
  }
}

test.concurrent("a migrated database is refused in the other mode, and with a newer schema", () =>
  inSandbox((place) =>
    onMigrated(place, async (MONGO_URL, name) => {
      const NATS_URL = process.env.TEST_NATS_URL;
      const live = { MONGO_URL, NATS_URL, SANDBOX: "false" };
      const other = `The database ${name} is a sandbox's and SANDBOX is false: set SANDBOX=true, or set MONGO_URL or DATA_DIR to another database for the live system.`;
      const migrated = await run(place, "tools/commands/migrate.ts", [], live);
      expect(migrated).toEqual({ code: 1, stdout: "", stderr: other });

      const connection = await mongoose.createConnection(MONGO_URL).asPromise();
      const numbers = { version: SCHEMA_VERSION + 2, readableFrom: SCHEMA_VERSION + 1 };
      await connection
        .collection<{ _id: string }>("database_mode")
        .updateOne({ _id: "schema" }, { $set: numbers });
      await connection.close();
      const newer = { MONGO_URL, NATS_URL };
      const [migration, service] = await Promise.all([
        run(place, "tools/commands/migrate.ts", [], newer),
        run(place, "tools/commands/service.ts", ["wallet-ledger"], {
          ...newer,
          LOG_LEVEL: "fatal",
        }),
      ]);
      const sentence = `The database ${name} has schema ${SCHEMA_VERSION + 2}, which versions from schema ${SCHEMA_VERSION + 1} on can read; this version has schema ${SCHEMA_VERSION}: start a newer version of payrail.`;
      expect(migration).toEqual({ code: 1, stdout: "", stderr: sentence });
      expect(service).toEqual({ code: 1, stdout: "", stderr: sentence });
    }),
  ));

test.concurrent("a service waits for the migration with words, and its stop ends the wait", () =>
  inSandbox(async (place) => {
    const { MONGO_URL } = testEnvironment();
    const script = runNode("tools/commands/service.ts", ["wallet-ledger"], {
      ...place.environment,
      MONGO_URL,
      NATS_URL: process.env.TEST_NATS_URL,
    });
    const output = () => script.stdout() + script.stderr();
    await until(() => /wallet-ledger waits: .* is not set up; npm run migrate/.test(output()));
    script.interrupt();
    expect(await script.exit).toEqual({ code: 0, signal: null });
    expect(output()).not.toContain("is running");
  }));

test.concurrent("a wrong setting ends the migration with one sentence", () =>
  inSandbox(async (place) => {
    const { MONGO_URL } = testEnvironment();
    const migrate = (extra: NodeJS.ProcessEnv, args: string[] = []) =>
      run(place, "tools/commands/migrate.ts", args, extra);
    const [help, malformed, sandbox, nowhere] = await Promise.all([
      migrate({}, ["--help"]),
      migrate({ MONGO_URL: "localhost" }),
      migrate({ MONGO_URL, SANDBOX: "maybe" }),
      migrate({}),
    ]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toMatch(/^npm run migrate\n[\s\S]*SANDBOX[\s\S]*Exit code 0/);
    expect(malformed.code).toBe(1);
    expect(malformed.stderr).toMatch(/^MONGO_URL must be a mongodb:\/\/ [^\n]+$/);
    expect(sandbox).toMatchObject({ code: 1, stderr: "SANDBOX must be true or false." });
    expect(nowhere).toMatchObject({ code: 1, stdout: "" });
    expect(nowhere.stderr).toMatch(/^DATA_DIR .* holds no database; set MONGO_URL[^\n]+$/);
  }));
