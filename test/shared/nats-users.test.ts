// Users on a real NATS with the permissions of the contracts. A broken-into service has its own
// user's password and writes packets of its own: the server refuses subjects that its service does
// not need, and the other services drop packets that pretend to come from another.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context, ServiceBroker } from "moleculer";
import { connect, type NatsConnection } from "nats";
import { loadConfig } from "../../shared/config/env.ts";
import { createBroker, natsOptions } from "../../shared/rpc/broker.ts";
import { inPieces } from "../../shared/rpc/middleware/large-answers.ts";
import { nodeIdFor } from "../../shared/rpc/subjects.ts";
import { binDirectory, provideBinary } from "../../tools/platform/binaries.ts";
import { startNats } from "../../tools/platform/nats.ts";
import { makeNatsUsers, type NatsUser, type NatsUsers } from "../../tools/platform/nats-users.ts";
import type { Server } from "../../tools/platform/supervisor.ts";
import { testEnvironment, until } from "../support/system.ts";

const VER = "5";
const quiet = () => {};
/** Longer than a message. */
const LARGE = { items: Array.from({ length: 1_000 }, (_, i) => `${i}`.padEnd(2_000)) };

let directory: string;
let users: NatsUsers;
let server: Server;
const brokers: ServiceBroker[] = [];
const connections: NatsConnection[] = [];
/** The calls that have reached an action. */
const called: string[] = [];
/** Actions answer after it. */
let gate = Promise.resolve();
let ledger: ServiceBroker;
let payouts: ServiceBroker;
let gateway: ServiceBroker;

const configOf = (user: NatsUser) => {
  const NATS_URL = users.urlOf(user, Number(new URL(server.url).port));
  return loadConfig(testEnvironment({ NATS_URL, LOG_LEVEL: "fatal" }));
};

/** A node of a service, with stand-ins for some of its actions. */
async function startNode(name: NatsUser, actions: string[]): Promise<ServiceBroker> {
  const broker = createBroker(configOf(name), name);
  const handlers = actions.map((action) => [
    action,
    async (context: Context) => {
      called.push(`${name}.${action}`);
      await gate;
      return { by: name, meta: context.meta };
    },
  ]);
  const others = { ready: () => ({}), fundings: () => inPieces(LARGE) };
  broker.createService({ name, actions: { ...others, ...Object.fromEntries(handlers) } });
  brokers.push(broker);
  await broker.start();
  return broker;
}

/** A connection as such a user, with the subjects that the server refused. */
async function breakInto(user: NatsUser): Promise<{ nats: NatsConnection; refused: string[] }> {
  const nats = await connect(natsOptions(configOf(user)));
  connections.push(nats);
  const refused: string[] = [];
  void (async () => {
    for await (const { permissionContext } of nats.status() as AsyncIterable<{
      permissionContext?: { subject: string };
    }>) {
      if (permissionContext) refused.push(permissionContext.subject);
    }
  })();
  return { nats, refused };
}

const idOf = (name: string) => nodeIdFor(name);
const json = (packet: object) => JSON.stringify({ ver: VER, id: randomUUID(), ...packet });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "payrail-nats-users-"));
  users = await makeNatsUsers(directory);
  const binary = await provideBinary("nats-server", binDirectory(), quiet);
  server = await startNats({ binary, say: quiet, users });
  ledger = await startNode("wallet-ledger", ["post", "wallet"]);
  payouts = await startNode("payouts", ["withdraw"]);
  gateway = await startNode("gateway", []);
  const names = ["wallet-ledger", "payouts", "gateway"];
  await Promise.all(brokers.map((broker) => broker.waitForServices(names, 60_000, 20)));
});
beforeEach(() => {
  called.length = 0;
});
afterAll(async () => {
  for (const connection of connections) await connection.close();
  for (const broker of brokers) await broker.stop();
  await server?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Waits until payouts and the ledger have handled everything that was sent to them before. */
async function settled({ nats }: { nats: NatsConnection }): Promise<void> {
  await nats.flush();
  for (const name of ["payouts", "wallet-ledger"]) await gateway.call(`${name}.ready`, {});
}

/** Lets no action answer. @returns lets them answer */
function closeGate(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  return resolve;
}

const pendingId = () =>
  until(() => {
    const [id] = payouts.transit?.pendingRequests.keys() ?? [];
    return id;
  });

test("only this system user can read the passwords", async () => {
  expect((await stat(users.configPath)).mode & 0o777).toBe(0o600);
});

test("a caller in the contract is answered, and any other service's call is refused", async () => {
  expect(await payouts.call("wallet-ledger.post", {})).toMatchObject({ by: "wallet-ledger" });
  expect(await gateway.call("wallet-ledger.wallet", {})).toMatchObject({ by: "wallet-ledger" });
  const refused = gateway.call("wallet-ledger.post", {}, { timeout: 300 });
  await expect(refused).rejects.toThrow();
  expect(called).toEqual(["wallet-ledger.post", "wallet-ledger.wallet"]);
});

test("an answer that is longer than a message arrives whole", async () => {
  expect(await gateway.call("wallet-ledger.fundings", {})).toEqual(LARGE);
});

test.each(["webhooks", "gateway", "accounts"] as const)(
  "%s cannot post, whatever subject and name it uses",
  async (user) => {
    const broken = await breakInto(user);
    const [self, target] = [idOf(user), idOf("wallet-ledger")];
    const action = "wallet-ledger.post";
    const refused = [
      `MOL-payrail.REQ.${target}`,
      `MOL-payrail.BY.${self}.REQ.${target}.${action}`,
      `MOL-payrail.BY.${idOf("payouts")}.REQ.${target}.${action}`,
      `MOL-payrail.BY.${self}.REQ.${target}`,
      `MOL-payrail.REQB.${action}`,
    ];
    for (const subject of refused) {
      for (const sender of [self, idOf("payouts")]) {
        broken.nats.publish(subject, json({ sender, action, params: {}, meta: {} }));
      }
    }
    await settled(broken);
    await until(() => new Set(broken.refused).size === refused.length);
    expect(new Set(broken.refused)).toEqual(new Set(refused));
    expect(called).toEqual([]);
  },
);

test("a request that NATS delivers twice is carried out once", async () => {
  const [self, action] = [idOf("payouts"), "wallet-ledger.post"];
  const subject = `MOL-payrail.BY.${self}.REQ.${idOf("wallet-ledger")}.${action}`;
  const sent = await breakInto("payouts");
  const packet = json({ sender: self, action, params: {}, meta: {} });
  for (const each of [packet, packet, json({ sender: self, action, params: {}, meta: {} })]) {
    sent.nats.publish(subject, each);
  }
  await settled(sent);
  expect(called).toEqual([action, action]);
});

test("a request for another action than its subject's, in another's name, or with a stream is dropped", async () => {
  const broken = await breakInto("gateway");
  const self = idOf("gateway");
  const subject = `MOL-payrail.BY.${self}.REQ.${idOf("wallet-ledger")}.wallet-ledger.wallet`;
  const params = {};
  broken.nats.publish(subject, json({ sender: self, action: "wallet-ledger.post", params }));
  const forged = { sender: idOf("payouts"), action: "wallet-ledger.wallet", params };
  broken.nats.publish(subject, json(forged));
  broken.nats.publish(subject, json({ ...forged, sender: self, stream: true, seq: 0 }));
  await settled(broken);
  expect(called).toEqual([]);
  broken.nats.publish(subject, json({ ...forged, sender: self }));
  await until(() => called.length > 0);
  expect(called).toEqual(["wallet-ledger.wallet"]);
  expect(broken.refused).toEqual([]);
});

const info = (sender: string, name: string, action: string) => ({
  sender,
  services: [{ name, fullName: name, actions: { x: { name: action } }, events: {} }],
  ipList: [],
  hostname: "evil",
  client: {},
  config: {},
  instanceID: randomUUID(),
  seq: 1,
});

test("a service cannot announce itself as another, and the postings go to the ledger", async () => {
  const broken = await breakInto("webhooks");
  const target = idOf("payouts");
  const offers = [
    ["wallet-ledger", "wallet-ledger.post"],
    ["webhooks", "wallet-ledger.post"],
    ["evil", "wallet-ledger.post"],
  ] as const;
  for (const [i, [name, action]] of offers.entries()) {
    const senders = ["webhooks", "wallet-ledger", "payouts", "runner"].map(
      (of) => `${of}.evil-${i}`,
    );
    const [self = ""] = senders;
    for (const subject of [
      `MOL-payrail.BY.${self}.INFO`,
      `MOL-payrail.BY.${self}.INFO.${target}`,
    ]) {
      broken.nats.publish(subject, json(info(self, name, action)));
    }
    for (const sender of [...senders, `reports-${i}`]) {
      for (const subject of ["MOL-payrail.INFO", `MOL-payrail.INFO.${target}`]) {
        broken.nats.publish(subject, json(info(sender, name, action)));
      }
    }
  }
  await settled(broken);
  const nodes = payouts.registry.actions.get("wallet-ledger.post")?.endpoints ?? [];
  expect(nodes.map(({ id }) => id)).toEqual([ledger.nodeID]);
  // It may offer itself, and a plain node a service that is not ours.
  const [self, plain] = ["webhooks.honest-1", "reports-9"];
  const ours = `MOL-payrail.BY.${self}.INFO`;
  broken.nats.publish(ours, json(info(self, "webhooks", "webhooks.endpoint")));
  broken.nats.publish("MOL-payrail.INFO", json(info(plain, "reports", "reports.make")));
  await settled(broken);
  const known = payouts.registry.nodes.toArray().map(({ id }) => id);
  const all = [...brokers.map(({ nodeID }) => nodeID), self, plain];
  expect(known.toSorted()).toEqual(all.toSorted());
  expect(broken.refused).toEqual([]);

  const taken = `MOL-payrail.BY.${ledger.nodeID}.INFO`;
  broken.nats.publish(taken, json(info(ledger.nodeID, "wallet-ledger", "wallet-ledger.post")));
  await until(() => broken.refused.includes(taken));
});

test("a service cannot say goodbye, end a process or answer in another's place", async () => {
  const broken = await breakInto("webhooks");
  for (const type of ["DISCONNECT", "HEARTBEAT", "DISCOVER"]) {
    broken.nats.publish(`MOL-payrail.${type}`, json({ sender: ledger.nodeID, seq: 99 }));
  }
  // Moleculer ends a process that sees its own id with another instance.
  broken.nats.publish(
    "MOL-payrail.INFO",
    json(info(payouts.nodeID, "payouts", "payouts.withdraw")),
  );
  await settled(broken);
  expect(payouts.registry.nodes.get(ledger.nodeID)?.available).toBe(true);

  // A payout waits for the ledger; the attacker knows the request's id.
  const open = closeGate();
  const waiting = payouts.call("wallet-ledger.post", {}, { timeout: 5_000 });
  const id = await pendingId();
  const forged = { id, success: true, data: { outcome: "committed" }, meta: {} };
  const target = payouts.nodeID;
  for (const sender of ["webhooks.evil-1", ledger.nodeID, "reports-1"]) {
    broken.nats.publish(`MOL-payrail.RES.${target}`, json({ ...forged, sender }));
    broken.nats.publish(
      `MOL-payrail.BY.webhooks.evil-1.RES.${target}`,
      json({ ...forged, sender }),
    );
  }
  await settled(broken);
  open();
  expect(await waiting).toMatchObject({ by: "wallet-ledger" });
  expect(broken.refused).toEqual([]);
});

test("a sender with a line end in it publishes nothing under the receiver's name", async () => {
  const broken = await breakInto("webhooks");
  const post = JSON.stringify({
    ...{ ver: VER, id: "1", sender: payouts.nodeID, action: "wallet-ledger.post", params: {} },
  });
  const subject = `MOL-payrail.BY.${payouts.nodeID}.REQ.${ledger.nodeID}.wallet-ledger.post`;
  const sender = `x 0\r\n\r\nPUB ${subject} ${post.length}\r\n${post}\r\nPUB y`;
  broken.nats.publish("MOL-payrail.DISCOVER", json({ sender }));
  broken.nats.publish(`MOL-payrail.DISCOVER.${payouts.nodeID}`, json({ sender }));
  await settled(broken);
  // Whatever payouts sent because of it has arrived before this call.
  await payouts.call("wallet-ledger.fundings", {}, { timeout: 100 }).catch(() => null);
  await settled(broken);
  expect(called).toEqual([]);
});

test("a sender that is longer than a subject may be ends no connection", async () => {
  const broken = await breakInto("webhooks");
  for (const length of [4_000, 5_000]) {
    const sender = "x".repeat(length);
    broken.nats.publish("MOL-payrail.DISCOVER", json({ sender }));
    broken.nats.publish("MOL-payrail.HEARTBEAT", json({ sender }));
  }
  // A node that NATS has disconnected for it does not answer.
  await settled(broken);
});

test("a service cannot listen to others' requests, answers and events", async () => {
  const broken = await breakInto("webhooks");
  const subjects = [
    ">",
    "MOL-payrail.>",
    `MOL-payrail.BY.*.*.REQ.${ledger.nodeID}.>`,
    "MOL-payrail.BY.*.*.REQ.wallet-ledger.*.>",
    `MOL-payrail.BY.*.*.RES.${payouts.nodeID}`,
    `MOL-payrail.REQ.${ledger.nodeID}`,
    `MOL-payrail.RES.${payouts.nodeID}`,
    "MOL-payrail.EVENT.reports-1",
    `MOL-payrail.GONE.${payouts.nodeID}.>`,
  ];
  for (const subject of subjects) broken.nats.subscribe(subject, { callback: quiet });
  await broken.nats.flush();
  await until(() => broken.refused.length >= subjects.length);
  expect(new Set(broken.refused)).toEqual(new Set(subjects));
});

test("an answer does not change the caller's meta", async () => {
  payouts.createService({
    name: "payouts",
    version: 2,
    actions: {
      async read(context: Context<unknown, { actor: string }>) {
        await context.call("wallet-ledger.post", {});
        return context.meta;
      },
    },
  });
  const broken = await breakInto("wallet-ledger");
  const open = closeGate();
  const seen = payouts.call("v2.payouts.read", {}, { meta: { actor: "user" } });
  const answer = { id: await pendingId(), success: true, data: {}, meta: { actor: "admin" } };
  const subject = `MOL-payrail.BY.${ledger.nodeID}.RES.${payouts.nodeID}`;
  broken.nats.publish(subject, json({ ...answer, sender: ledger.nodeID }));
  expect(await seen).toEqual({ actor: "user" });
  open();
});
