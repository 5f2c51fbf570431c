// npm start with hard kills: no mongod is left over, and a directory has one owner.

import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { freePort } from "../../../tools/platform/ports.ts";
import {
  isReady,
  pidOf,
  processesOf,
  RUNNING,
  readFailure,
  runNode,
  type Sandbox,
  type Script,
  sandbox,
} from "../../support/scripts.ts";
import { until } from "../../support/system.ts";

const MONGOD = /mongod --dbpath/;

let place: Sandbox;
beforeEach(async () => {
  place = await sandbox();
});
afterEach(() => place.clean());

async function startAndWait(): Promise<Script> {
  const script = runNode("tools/commands/start.ts", [], place.environment);
  await script.waitForOutput(RUNNING);
  return script;
}

async function stopped(script: Script): Promise<void> {
  script.interrupt();
  expect(await script.exit).toEqual({ code: 0, signal: null });
  await until(() => processesOf(place.dataDir).length === 0, {
    awaited: "the end of all processes",
  });
}

test("a dead mongod is started again, and one left over by a hard kill is ended", async () => {
  const first = await startAndWait();
  const killed = pidOf(place.dataDir, MONGOD);
  process.kill(killed, "SIGKILL");
  const isReplaced = () => {
    const found = processesOf(place.dataDir).filter(({ command }) => MONGOD.test(command));
    return found.length === 1 && found[0]?.pid !== killed;
  };
  await until(isReplaced, { awaited: "another mongod" });
  await until(() => isReady(place), { awaited: "readiness" });
  expect(first.stderr()).toMatch(/^mongod ended \(SIGKILL\); starting it again in \d+ ms$/m);

  // The watcher that would end mongod is killed first, as when a machine runs out of memory.
  process.kill(pidOf(place.dataDir, /^\/bin\/sh -c read/), "SIGKILL");
  process.kill(pidOf(place.dataDir, /^payrail/), "SIGKILL");
  await first.exit;
  const leftOver = pidOf(place.dataDir, MONGOD);
  const second = await startAndWait();
  expect(second.stderr()).toContain(`left behind (process ${leftOver})`);
  expect(pidOf(place.dataDir, MONGOD)).not.toBe(leftOver);
  await stopped(second);
});

test("a hard kill of the start ends its mongod", async () => {
  await startAndWait();
  process.kill(pidOf(place.dataDir, /^payrail/), "SIGKILL");
  await until(() => processesOf(place.dataDir).length === 0, {
    awaited: "the end of all processes",
  });
});

test("a second start on the same DATA_DIR leaves the first one alone", async () => {
  const first = await startAndWait();
  const other = { ...place.environment, PORT: String(await freePort()) };
  expect(await readFailure(other)).toMatch(/DATA_DIR .* is in use by process \d+; stop it or set/);
  expect(await isReady(place)).toBe(true);
  await stopped(first);
});

test("a network without answers does not delay the start for long", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const nowhere = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  // The folders of the PATH without those with mongod.
  const folders = (process.env.PATH ?? "").split(delimiter);
  const failure = await readFailure({
    ...place.environment,
    // A folder without fetched programs.
    XDG_CACHE_HOME: join(place.dataDir, "caches"),
    PATH: folders.filter((folder) => !existsSync(join(folder, "mongod"))).join(delimiter),
    MONGOMS_DOWNLOAD_MIRROR: `https://${nowhere}/`,
    PIP_CONFIG_FILE: "/dev/null",
    PIP_INDEX_URL: `http://${nowhere}/simple`,
  });
  silent.close();
  expect(failure).toMatch(/^mongod is not available/);
  await until(() => processesOf(place.dataDir).length === 0, {
    awaited: "the end of all processes",
  });
});
