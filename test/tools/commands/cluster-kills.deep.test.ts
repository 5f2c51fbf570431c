// npm run start:cluster with hard kills: a dead process is started again, and no process is left
// over.

import {
  isReady,
  pidOf,
  processesOf,
  RUNNING,
  runNode,
  type Sandbox,
  type Script,
  sandbox,
} from "../../support/scripts.ts";
import { until } from "../../support/system.ts";

const SERVICES = ["accounts", "wallet-ledger", "webhooks", "payouts", "payment-links", "gateway"];

let place: Sandbox;
beforeEach(async () => {
  place = await sandbox();
});
afterEach(() => place.clean());

/** Kills a process and waits for its replacement. */
async function isReplaced(name: string, command: RegExp): Promise<void> {
  const before = pidOf(place.dataDir, command);
  process.kill(before, "SIGKILL");
  await until(
    () => {
      const now = processesOf(place.dataDir).filter((each) => command.test(each.command));
      return now.length === 1 && now[0]?.pid !== before;
    },
    { awaited: `${name} to start again` },
  );
  await until(() => isReady(place), { awaited: "readiness" });
}

/** Whether the banner's withdrawal is accepted. */
async function withdraws(cluster: Script): Promise<boolean> {
  const url = cluster.stdout().match(/http\S+\/withdrawal/)?.[0] as string;
  const token = cluster.stdout().match(/^User token\s+(\S+)/m)?.[1];
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ amount: 5, walletType: "SPEND", reason: "After all that" }),
  });
  return answer.status === 200;
}

test("a dead process is started again, and all stop together", async () => {
  // Withdrawals during the database's restart do not count against the limit.
  const environment = { ...place.environment, WITHDRAWAL_LIMIT: "off" };
  const cluster = runNode("tools/commands/cluster.ts", [], environment);
  await cluster.waitForOutput(RUNNING);
  for (const name of SERVICES) pidOf(place.dataDir, new RegExp(`^payrail-${name}$`));

  await isReplaced("payouts", /^payrail-payouts/);
  await isReplaced("gateway", /^payrail-gateway/);
  const nats = /nats-server --addr/;
  const commandOf = () =>
    processesOf(place.dataDir).find((each) => nats.test(each.command))?.command;
  const before = commandOf();
  const shown = cluster.stdout().match(/^NATS\s+nats:\/\/internal:[\w-]{32}@127\.0\.0\.1:(\d+)$/m);
  const port = shown?.[1];
  expect(before).toContain(`--port ${port}`);
  await isReplaced("nats-server", nats);
  // The same port, because the services know only this one.
  expect(commandOf()).toBe(before);
  await isReplaced("mongod", /mongod --dbpath/);
  for (const name of ["payouts", "gateway", "nats-server", "mongod"]) {
    expect(cluster.stderr()).toMatch(
      new RegExp(`^${name} ended \\(SIGKILL\\); starting it again in \\d+ ms$`, "m"),
    );
  }

  await until(() => withdraws(cluster), { awaited: "a withdrawal" });

  cluster.interrupt();
  expect(await cluster.exit).toEqual({ code: 0, signal: null });
  await until(() => processesOf(place.dataDir).length === 0, {
    awaited: "the end of all processes",
  });
});

test("a hard kill of the supervisor ends all its processes", async () => {
  const cluster = runNode("tools/commands/cluster.ts", [], place.environment);
  await cluster.waitForOutput(RUNNING);
  process.kill(pidOf(place.dataDir, /^payrail-cluster/), "SIGKILL");
  const isGone = () => processesOf(place.dataDir).length === 0;
  await until(isGone, { awaited: "the end of all processes" });
});
