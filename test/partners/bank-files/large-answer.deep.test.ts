// A bank's notification of 30 MB, read by the process of payouts of a cluster: it answers every
// call meanwhile, and needs no more memory than the file and the thread that reads it.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { KEYS } from "../../support/bank/files.ts";
import { notification } from "../../support/bank/iso20022.ts";
import { ORIGINATOR } from "../../support/bank/wires.ts";
import { type Cluster, startCluster } from "../../support/cluster.ts";
import { until } from "../../support/system.ts";
import { dataOf } from "../../support/world.ts";

const OTHERS = 42_000;
const MEBIBYTE = 2 ** 20;
/** A thread with its modules and its heap, and what the process needs for its calls meanwhile. */
const THREAD_BYTES = 80 * MEBIBYTE;
const READ_WITHIN_MS = 180_000;

const folder = mkdtempSync(join(tmpdir(), "payrail-large-answer-"));
const place = (name: string) => {
  mkdirSync(join(folder, name));
  return { url: pathToFileURL(join(folder, name)).href };
};
const settings = {
  name: "large",
  test: true,
  fileId: "LARGE",
  originator: ORIGINATOR,
  calendar: { timeZone: "UTC", cutOffs: "always", holidays: "none", settlesAfterDays: 0 },
  out: place("out"),
  answers: place("answers"),
  archive: place("archive"),
  repeats: "refused",
  returnWindowDays: 5,
  turnEverySeconds: 1,
  askEverySeconds: 1,
};

let cluster: Cluster;
beforeAll(async () => {
  writeFileSync(join(folder, "wire.json"), JSON.stringify(settings));
  cluster = await startCluster({
    RAILS: JSON.stringify({ WIRE: "./partners/bank-files/wire.ts" }),
    WIRE_FILES: join(folder, "wire.json"),
    BANK_FILES_KEYS: KEYS,
  });
});
afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The notification of a payment among the entries of a busy account. */
function largeNotification(file: Buffer, payment: string): Buffer {
  const others = Array.from({ length: OTHERS }, (_, i) => {
    return { other: "CRDT" as const, amountMinor: i + 1 };
  });
  const more = `<RltdPties><Dbtr><Pty><Nm>${"A customer ".repeat(8)}</Nm></Pty></Dbtr></RltdPties>
    <RmtInf><Ustrd>${"Invoice 2026-17 ".repeat(8)}</Ustrd></RmtInf></TxDtls>`;
  const text = notification(file, [...others, { debit: payment }]).toString();
  return Buffer.from(text.replaceAll("</TxDtls>", more));
}

/** The most memory that a process has had, in bytes (proc(5)). */
function peakMemory(pid: number): number {
  const [, kibibytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) * 1_024;
}

test("payouts answers every call while it reads a notification of 30 MB", async () => {
  const { business, user, wallet } = await cluster.payer(1_000);
  const bank = await cluster.bank(business, wallet, "6789");
  const asked = { amount: 100, routingType: "WIRE" as const };
  const { id } = dataOf(await cluster.withdraw(user, bank, asked), 200);
  const sent = await until(
    () => readdirSync(join(folder, "out")).find((name) => name.endsWith(".xml")) ?? null,
    { within: READ_WITHIN_MS, awaited: "the file of the payout" },
  );
  const bytes = largeNotification(readFileSync(join(folder, "out", sent)), id);
  expect(bytes.length).toBeGreaterThan(28 * MEBIBYTE);

  const pid = cluster.replicas.find(({ service }) => service === "payouts")?.pid() as number;
  const before = peakMemory(pid);
  const temporary = join(folder, ".large.xml");
  writeFileSync(temporary, bytes);
  renameSync(temporary, join(folder, "answers", "large.xml"));

  const statuses: number[] = [];
  await until(
    async () => {
      const { status, body } = await cluster.gateway.http.get(`/v1/transactions/${id}`, {
        token: business.token,
      });
      statuses.push(status);
      return status !== 200 || body.data.status === "SUCCESS";
    },
    { within: READ_WITHIN_MS, awaited: "the settlement" },
  );
  expect(statuses.length).toBeGreaterThan(20);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect((await cluster.gateway.http.get("/health/ready")).body.away).toEqual([]);
  expect(cluster.logs()).not.toMatch(/disconnected unexpectedly|REQUEST_TIMEOUT/);
  expect(peakMemory(pid) - before).toBeLessThan(bytes.length + THREAD_BYTES);
});
