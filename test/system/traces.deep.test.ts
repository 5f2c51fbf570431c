// A withdrawal over real processes and a real NATS is one trace, and all log lines of its work have
// its ids: those of other services, of the sweepers, and of the process that takes over from a dead
// one.

import { randomUUID } from "node:crypto";
import { type Cluster, startCluster } from "../support/cluster.ts";
import { type CollectedSpan, type Collector, startCollector } from "../support/collector.ts";
import { until } from "../support/system.ts";

const WITHDRAWAL = "POST /v1/ext/linked-accounts/:currency/:linkedAccountId/withdrawal";
const CLIENT = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

let collector: Collector;
let cluster: Cluster;
beforeAll(async () => {
  collector = await startCollector();
  cluster = await startCluster({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    TRACE_SAMPLE_RATIO: "1",
    // Long enough to kill the driver before the end.
    SANDBOX_SETTLE_MS: "1500",
    LOG_LEVEL: "debug",
  });
});
afterAll(async () => {
  await cluster?.stop();
  collector.close();
});

/** Withdraws under these headers; the receiver of its webhooks, and texts that no span may have. */
async function withdraw(headers: Record<string, string>) {
  const { business, user, wallet } = await cluster.payer(100);
  const bank = await cluster.bank(business, wallet, "1234");
  const hook = await cluster.hook(business);
  const { status, body } = await cluster.http.post(
    `/v1/ext/linked-accounts/USD/${bank.id}/withdrawal`,
    { amount: 10, walletType: "SPEND", reason: "Payout", routingType: "ACH" },
    { token: user.token, headers },
  );
  expect(status).toBe(200);
  const isPaid = () => hook.received.some((event) => event.body.status === "SUCCESS");
  const personal = [business.id, user.id, user.email, wallet.id, bank.id, body.data.id, hook.url];
  return { id: body.data.id as string, isPaid, personal };
}

/** The names of the spans from this one up to the trace's first. */
function lineage(trace: CollectedSpan[], span: CollectedSpan): string[] {
  const parent = trace.find(({ spanId }) => spanId === span.parentSpanId);
  const name = `${span.service}: ${span.name}`;
  return parent ? [name, ...lineage(trace, parent)] : [name];
}

test("a withdrawal is one trace from the request to the webhook", async () => {
  const traceparent = `00-${CLIENT.traceId}-${CLIENT.spanId}-01`;
  const { isPaid, personal } = await withdraw({ traceparent });
  await until(isPaid, { awaited: "the webhook of SUCCESS" });
  const root = `gateway: ${WITHDRAWAL}`;
  // Each span goes back to the request: none lacks its parent.
  const { trace, lineages } = await until(
    () => {
      const spans = collector.spans.filter(({ traceId }) => traceId === CLIENT.traceId);
      const all = spans.map((span) => lineage(spans, span));
      const deliveries = spans.filter(({ name }) => name === "POST webhook");
      const isWhole = all.every((names) => names.at(-1) === root);
      return deliveries.length === 3 && isWhole && { trace: spans, lineages: all };
    },
    { awaited: "the spans of the withdrawal and of three deliveries" },
  );

  const withdrawal = ["payouts: payouts.withdraw", root];
  for (const expected of [
    ["accounts: accounts.payoutDestinations", ...withdrawal],
    ["payouts: insert payouts", ...withdrawal],
    ["wallet-ledger: insert ledger_blocks", "wallet-ledger: wallet-ledger.post", ...withdrawal],
    ["payouts: sandbox submit", ...withdrawal],
    ["webhooks: insert webhook_events", "webhooks: webhooks.publish", ...withdrawal],
    ["webhooks: POST webhook", ...withdrawal],
  ]) {
    expect(lineages).toContainEqual(expected);
  }
  const first = trace.find(({ service }) => service === "gateway");
  expect(first).toMatchObject({
    parentSpanId: CLIENT.spanId,
    attributes: {
      "http.request.method": "POST",
      "http.route": WITHDRAWAL.split(" ")[1],
      "http.response.status_code": 200,
    },
  });
  const sent = JSON.stringify(collector.spans);
  expect(personal.filter((text) => sent.includes(text))).toEqual([]);
});

interface Line {
  service: string;
  nodeID: string;
  requestId?: string;
  traceId?: string;
  id?: string;
  status?: string;
}

function linesOf(requestId: string): Line[] {
  const lines = cluster.logs().split("\n");
  const found = lines.filter((line) => line.startsWith("{") && line.includes(requestId));
  return found.map((line) => JSON.parse(line) as Line);
}

test("the lines of a withdrawal have its ids, also after its driver was killed", async () => {
  const requestId = randomUUID();
  const { id, isPaid } = await withdraw({ "x-request-id": requestId });
  const payouts = cluster.replicas.find(({ service }) => service === "payouts");
  payouts?.signal("SIGKILL");
  await until(isPaid, { awaited: "the webhook of SUCCESS" });

  const own = await until(
    () => {
      const lines = linesOf(requestId).filter((line) => line.requestId === requestId);
      return lines.some((line) => line.id === id && line.status === "SUCCESS") && lines;
    },
    { awaited: "the line of the end" },
  );
  const services = new Set(own.map(({ service }) => service));
  expect([...services].toSorted()).toEqual([
    ...["accounts", "gateway", "payouts", "wallet-ledger", "webhooks"],
  ]);
  expect(new Set(own.map(({ traceId }) => traceId)).size).toBe(1);
  const nodes = new Set(own.map(({ nodeID }) => nodeID));
  expect([...nodes].filter((node) => node.startsWith("payouts"))).toHaveLength(2);
});
