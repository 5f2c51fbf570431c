// Rails of bank files in processes that are killed at any moment, while payments come and are
// cancelled and the bank takes files away: no payment is lost, and none is in two files.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Files, instrument, newPayment, startFiles } from "../../support/bank/files.ts";
import { plainFormat } from "../../support/bank/plain-format.ts";
import { until } from "../../support/system.ts";
import { seeded } from "../../support/traffic.ts";

const PAYMENTS = 400;
const KILLS = 12;

let files: Files;

beforeAll(async () => {
  files = await startFiles({ settings: { turnEveryMs: 50 } });
});
afterAll(() => files?.stop());

test(`processes that are killed ${KILLS} times pay ${PAYMENTS} payments once each`, async () => {
  const random = seeded();
  const environment = {
    ...process.env,
    MONGO_URL: files.mongoUrl,
    FILES: JSON.stringify(files.settings),
  };
  const start = () =>
    fork(resolve("test/partners/bank-files/bank-files-process.ts"), [], { env: environment });
  const running: ChildProcess[] = [start(), start()];
  const front = await files.open();

  // The bank: it takes whole files away, and refuses a name that it has already.
  const taken = new Map<string, string>();
  const copies = new Map<string, number>();
  const takeAway = () => {
    for (const name of files.sent()) {
      const bytes = files.readSent(name).toString();
      if (taken.has(name)) expect(bytes).toBe(taken.get(name));
      taken.set(name, bytes);
      copies.set(name, (copies.get(name) ?? 0) + 1);
      renameSync(join(files.folder("out"), name), join(files.folder("answers"), `.taken-${name}`));
    }
  };
  const bank = setInterval(takeAway, 20);

  const submitted: string[] = [];
  const cancelled = new Set<string>();
  const paying = (async () => {
    for (let i = 0; i < PAYMENTS; i++) {
      const payment = newPayment({ amountMinor: 1 + i });
      await front.submit(payment, instrument);
      submitted.push(payment.id);
      const id = random.oneOf(submitted);
      if (random.below(3) === 0 && (await front.cancel(id)) === "cancelled") cancelled.add(id);
      await pause(random.below(40));
    }
  })();
  try {
    for (let i = 0; i < KILLS; i++) {
      await pause(300 + random.below(1_200));
      const which = random.below(running.length);
      running[which]?.kill("SIGKILL");
      running[which] = start();
    }
    await paying;
    const { payments, batches } = front.deps.books;
    const isDone = async () =>
      (await payments.countDocuments({ state: "waiting" })) === 0 &&
      (await batches.countDocuments({ state: { $ne: "handed" } })) === 0;
    await until(isDone, { awaited: "the last file" });
    takeAway();
  } finally {
    clearInterval(bank);
    for (const child of running) {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    }
  }

  const paid = [...taken.values()].flatMap((bytes) =>
    plainFormat.read(Buffer.from(bytes)).payments.map(({ id }) => id),
  );
  expect(paid.toSorted()).toEqual(submitted.filter((id) => !cancelled.has(id)).toSorted());
  expect(taken.size).toBeGreaterThan(1);
  // The books count at least the copies that the bank has got: fewer would believe its refusals.
  for await (const { _id, puts = 0 } of front.deps.books.batches.find()) {
    expect(puts).toBeGreaterThanOrEqual(copies.get(`${_id}.json`) as number);
  }
}, 180_000);
