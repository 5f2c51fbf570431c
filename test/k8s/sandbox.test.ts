// The sandbox overlay on a real cluster: it comes up from nothing, money moves through it, and no
// request is lost while its pods are replaced and scaled. A pod that is killed may cost requests,
// and never money.

import { SERVICE_NAMES } from "../../shared/rpc/service-names.ts";
import { pause } from "../../tools/platform/processes.ts";
import { type Deployed, deploySandbox } from "./deployed.ts";
import type { Attempt } from "./driver/load.ts";

/** Withdrawals per second. */
const RATE = 5;
const MINUTE_MS = 60_000;
/** A pod that is killed. */
const ENDS_WITHIN_MS = 5_000;

let sandbox: Deployed;

beforeAll(async () => {
  const startedAt = Date.now();
  sandbox = await deploySandbox();
  say(`The sandbox was ready after ${seconds(startedAt)} s`);
  await sandbox.drive("/open");
}, 15 * MINUTE_MS);

afterAll(async () => {
  if (!process.env.PAYRAIL_TEST_KEEP) await sandbox?.remove();
}, 10 * MINUTE_MS);

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function seconds(since: number): number {
  return Math.round((Date.now() - since) / 1_000);
}

/** Withdraws meanwhile. @returns the attempts that did not succeed */
async function underLoad(what: string, change: () => Promise<void>): Promise<Attempt[]> {
  await sandbox.drive(`/load?rate=${RATE}`);
  const startedAt = Date.now();
  try {
    await change();
  } finally {
    say(`${what} took ${seconds(startedAt)} s`);
  }
  const attempts = await sandbox.drive<Attempt[]>("/stop");
  expect(attempts).not.toEqual([]);
  const failed = attempts.filter(({ status }) => status !== 200);
  const slowest = Math.max(...attempts.map(({ tookMs }) => tookMs));
  const sent = failed.map(({ sentAt }) => sentAt);
  const statuses = [...new Set(failed.map(({ status }) => status))].join(", ");
  const how =
    failed.length > 0 ? ` (${statuses}) within ${Math.max(...sent) - Math.min(...sent)} ms` : "";
  say(
    `${what}: ${failed.length} of ${attempts.length} failed${how}, the slowest took ${slowest} ms`,
  );
  return failed;
}

async function expectSound(job: string): Promise<void> {
  const { wrong } = await sandbox.drive<{ wrong: string[] }>("/settle");
  expect(wrong).toEqual([]);
  expect(await sandbox.verify(job)).toContain("The books are right.");
}

test(
  "a withdrawal is paid and its events arrive, a link is paid, and the books are right",
  async () => {
    const { events } = await sandbox.drive<{ events: string[] }>("/withdraw");
    expect(events).toEqual(["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"]);
    expect(await sandbox.drive("/pay")).toEqual({ status: "SUCCEEDED" });
    await expectSound("verify-first");
  },
  10 * MINUTE_MS,
);

test.each([...SERVICE_NAMES])(
  "no request is lost while %s is restarted",
  async (name) => {
    expect(await underLoad(`The restart of ${name}`, () => sandbox.restart(name))).toEqual([]);
  },
  10 * MINUTE_MS,
);

test.each(["payouts", "wallet-ledger"] as const)(
  "no request is lost while %s is scaled to three and back",
  async (name) => {
    const change = async () => {
      await sandbox.scale(name, 3);
      await sandbox.scale(name, 1);
    };
    expect(await underLoad(`The scaling of ${name}`, change)).toEqual([]);
  },
  10 * MINUTE_MS,
);

test(
  "pods that are killed cost no money",
  async () => {
    for (const name of SERVICE_NAMES) await sandbox.scale(name, 2);
    for (const name of SERVICE_NAMES) {
      await underLoad(`A killed pod of ${name}`, async () => {
        const [pod] = await sandbox.pods(name);
        await sandbox.kubectl("delete", pod as string, "--grace-period=0", "--force");
        await sandbox.rolledOut(name);
        // The node ends the processes of the pod a moment after the API server has forgotten it.
        await pause(ENDS_WITHIN_MS);
      });
    }
    await expectSound("verify-last");
  },
  20 * MINUTE_MS,
);
