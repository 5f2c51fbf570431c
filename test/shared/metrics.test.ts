// The metrics of a process, after money has moved through all of its services.

import mongoose from "mongoose";
import type { Payout } from "../../services/payouts/payout.model.ts";
import type { Verification } from "../../services/wallet-ledger/verification.model.ts";
import { ERROR_CLASSES } from "../../shared/contracts/deliveries.ts";
import { METRICS } from "../../shared/observability/metrics.ts";
import { MOLECULER_METRICS } from "../../shared/observability/metrics-text.ts";
import { type Probes, startProbes } from "../../shared/observability/probes.ts";
import { labelsOf } from "../support/metric-labels.ts";
import { until } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let probes: Probes;
let connection: mongoose.Connection;
beforeAll(async () => {
  // The variable keeps metrics; the test listens on a port of its own.
  const environment = { PROBE_PORT: "9090", WEBHOOK_RETRY_SCHEDULE: "100ms" };
  world = await startWorld({ environment });
  probes = await startProbes({ host: "127.0.0.1", port: 0 }, world.broker, 0);
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await connection?.close();
  await probes?.close();
  await world?.stop();
});

const database = () => connection.getClient().db(connection.name);

async function scrape(): Promise<string> {
  const url = `http://127.0.0.1:${probes.port}/metrics`;
  expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
  const answer = await fetch(url);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return answer.text();
}

/** The value of a sample by its name and labels, as in the text; 0 if there is none. */
async function sampleValue(sample: string): Promise<number> {
  const line = (await scrape()).split("\n").find((each) => each.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1) ?? 0);
}

const untilValue = (sample: string, value: number) =>
  until(async () => (await sampleValue(sample)) === value, { awaited: `${sample} ${value}` });

test("a withdrawal, a decline, a payment and a refund are counted", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  const hook = await world.hook(business);
  const paid = await world.withdraw(user, bank);
  expect(paid.status).toBe(200);
  await world.status(business, paid.body.data.id, "SUCCESS");
  expect((await world.withdraw(user, bank, { amount: 5_000 })).status).toBe(400);
  expect(await sampleValue('payrail_withdrawals_total{outcome="accepted"}')).toBe(1);
  expect(await sampleValue('payrail_withdrawals_total{outcome="INSUFFICIENT_FUNDS"}')).toBe(1);
  const changes = 'payrail_document_changes_total{kind="payout",status';
  for (const status of ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"]) {
    expect(await sampleValue(`${changes}="${status}"}`)).toBe(1);
  }
  const route = "/v1/ext/linked-accounts/:currency/:linkedAccountId/withdrawal";
  const answered = (status: number) =>
    `payrail_http_requests_total{route="${route}",method="POST",status="${status}"}`;
  expect([await sampleValue(answered(200)), await sampleValue(answered(400))]).toEqual([1, 1]);
  expect(await sampleValue(`payrail_http_request_seconds_count{route="${route}"}`)).toBe(2);
  for (const id of [wallet.id, bank.id]) await world.http.get(`/no/such/route/${id}`);
  const unknown = 'payrail_http_requests_total{route="none",method="GET",status="404"}';
  expect(await sampleValue(unknown)).toBe(2);
  const asked = `partner="rail",name="sandbox",operation="submit",outcome="accepted"`;
  expect(await sampleValue(`payrail_partner_request_seconds_count{${asked}}`)).toBe(1);
  await untilValue('payrail_webhook_attempts_total{result="2xx"}', 3);

  const link = await world.paymentLink(business);
  const payment = await world.pay(link, await world.cardToken());
  expect(payment.body.data.status).toBe("SUCCEEDED");
  const succeeded = 'payrail_document_changes_total{kind="payment",status="SUCCEEDED"}';
  expect(await sampleValue(succeeded)).toBe(1);
  const charged = `partner="acquirer",name="sandbox",operation="charge",outcome="captured"`;
  expect(await sampleValue(`payrail_partner_request_seconds_count{${charged}}`)).toBe(1);
  const committed = await sampleValue('payrail_ledger_blocks_total{outcome="committed"}');
  expect(committed).toBeGreaterThan(2);
  expect(await sampleValue("payrail_ledger_block_transfers_count")).toBe(committed);
  await until(() => hook.received.length === 4);
});

test("a delivery that fails for good is counted by its attempts, and pending until then", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  const hook = await world.hook(business);
  hook.answerWith(500);
  const paid = await world.withdraw(user, bank, { amount: 1 });
  await world.status(business, paid.body.data.id, "SUCCESS");
  await untilValue('payrail_webhook_dead_letters_total{reason="exhausted"}', 3);
  expect(await sampleValue('payrail_webhook_attempts_total{result="5xx"}')).toBe(6);
  await untilValue("payrail_webhook_deliveries_pending", 0);
});

test("overdue and flagged documents and the last verification are gauges", async () => {
  const payouts = database().collection<Payout>("payouts");
  const [{ _id }] = (await payouts.find().limit(1).toArray()) as [Payout];
  await payouts.updateOne({ _id }, { $set: { needsAttention: true } });
  await database()
    .collection<Verification>("verifications")
    .insertOne({
      _id: "last",
      startedAt: new Date(),
      finishedAt: new Date(Date.now() - 60_000),
      version: "1",
      ok: false,
      violationCount: 1,
      rules: [],
      violations: [],
    });
  await untilValue('payrail_documents_flagged{kind="payout"}', 1);
  expect(await sampleValue("payrail_verification_ok")).toBe(0);
  expect(await sampleValue("payrail_verification_age_seconds")).toBeGreaterThanOrEqual(60);
  await payouts.updateOne({ _id }, { $set: { needsAttention: false } });
});

test("the gauges' queries read no collection as a whole", async () => {
  await database().command({ profile: 2 });
  await scrape();
  await database().command({ profile: 0 });
  const profile = database().collection("system.profile");
  expect(await profile.countDocuments({ planSummary: /IXSCAN|DISTINCT_SCAN/ })).toBeGreaterThan(5);
  const scans = await profile.find({ planSummary: /COLLSCAN/ }).toArray();
  expect(scans.map(({ command }) => command)).toEqual([]);
});

/** Metrics that need an event which these tests do not have, or NATS. */
const ABSENT = ["payrail_nats_connected", "payrail_nats_reconnects_total"];

test("the text has every metric of the table, no other metric or label, and no id", async () => {
  const lines = (await scrape()).trimEnd().split("\n");
  const types = lines.filter((line) => line.startsWith("# TYPE ")).map((line) => line.split(" "));
  const names = types.map(([, , name]) => name as string);
  expect(new Set(names).size).toBe(names.length);
  const ours = Object.keys(METRICS).filter((name) => !ABSENT.includes(name));
  expect(names.filter((name) => name.startsWith("payrail_")).toSorted()).toEqual(ours.toSorted());
  const bare = (name: string) => name.replaceAll(".", "_").replace(/_total$/, "");
  const theirs = MOLECULER_METRICS.map(bare);
  for (const name of names.filter((each) => !each.startsWith("payrail_"))) {
    expect(theirs).toContain(bare(name));
  }
  for (const name of ["moleculer_request_time", "process_memory_rss"]) {
    expect(names).toContain(name);
  }
  const sample = /^([a-z0-9_]+)(\{[^}]*\})? (-?[\d.e+-]+|NaN)$/;
  for (const line of lines.filter((each) => each !== "" && !each.startsWith("#"))) {
    expect(line).toMatch(sample);
    expect(line).not.toMatch(/[\da-f]{8}-[\da-f]{4}-/);
    const [, name = "", labels = ""] = sample.exec(line) ?? [];
    const given = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label);
    const allowed = [...(labelsOf(name) ?? []), "le"];
    const strange = given.filter((label) => !allowed.includes(label as string));
    expect({ name, strange }).toEqual({ name, strange: [] });
    expect(names.some((each) => name.startsWith(each))).toBe(true);
  }
  const results = [...new Set(lines.flatMap((line) => /result="([^"]+)"/.exec(line)?.[1] ?? []))];
  for (const result of results) expect([...ERROR_CLASSES, "2xx", "5xx"]).toContain(result);
});

/** The rules of `promtool check metrics` (promlint of client_golang) for a family of metrics. */
function lint(name: string, type: string, help: string, labels: string[]): string[] {
  const rules: [string, boolean][] = [
    ["has no help", help === ""],
    ["counter without _total", type === "counter" && !name.endsWith("_total")],
    ["_total without a counter", type !== "counter" && name.endsWith("_total")],
    ["quantile without a summary", type !== "summary" && labels.includes("quantile")],
    ["le without a histogram", type !== "histogram" && labels.includes("le")],
    ["ends as a histogram's samples", /_(bucket|count|sum)$/.test(name)],
    ["has its type in its name", name.split("_").includes(type)],
    ["has capitals or colons", /[A-Z:]/.test(name) || labels.some((label) => /[A-Z]/.test(label))],
    ["abbreviates its unit", /_(s|ms|us|ns|sec|b|kb|mb|gb|pct)(_total)?$/.test(name)],
    ["has no base unit", /_(milliseconds|minutes|hours|kilobytes|percents?)(_|$)/.test(name)],
  ];
  return rules.filter(([, isBroken]) => isBroken).map(([rule]) => `${name}: ${rule}`);
}

test("names and labels pass Prometheus' own rules, those without a sample too", async () => {
  const lines = (await scrape()).trimEnd().split("\n");
  const shown = lines
    .filter((line) => line.startsWith("# TYPE "))
    .flatMap((line) => {
      const [, , name = "", type = ""] = line.split(" ");
      const help = lines.find((each) => each.startsWith(`# HELP ${name} `)) ?? "";
      const samples = lines.filter((each) => each.startsWith(`${name}{`));
      const labels = samples.flatMap((each) =>
        [...each.matchAll(/(\w+)="/g)].map(([, label = ""]) => label),
      );
      return lint(name, type, help, labels);
    });
  const table = Object.entries(METRICS).flatMap(([name, { type, help, labels }]) =>
    lint(name, type, help, [...labels]),
  );
  // Moleculer's own label.
  const broken = [...shown, ...table].filter(
    (each) => !/^moleculer_request\w*: has capitals/.test(each),
  );
  expect(broken).toEqual([]);
});

test("the buckets of a histogram rise, and the last one has all observations", async () => {
  const text = await scrape();
  const buckets = [
    ...text.matchAll(/^payrail_ledger_block_transfers_bucket\{le="([^"]+)"\} (\d+)$/gm),
  ];
  const bounds = buckets.map(([, le]) => (le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le)));
  expect(bounds).toEqual(bounds.toSorted((a, b) => a - b));
  const counts = buckets.map(([, , count]) => Number(count));
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(counts.at(-1)).toBe(await sampleValue("payrail_ledger_block_transfers_count"));
});
