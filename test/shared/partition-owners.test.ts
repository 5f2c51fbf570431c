// Owners of the ledger's partitions: how nodes share them, and which node callers call.

import type { ServiceBroker } from "moleculer";
import { loadConfig } from "../../shared/config/env.ts";
import { newId } from "../../shared/ids.ts";
import { call, nodesServing } from "../../shared/rpc/actions.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { assignOwners } from "../../shared/rpc/partition-owners.ts";
import { PARTITIONS, partitionFor } from "../../shared/rpc/partitions.ts";
import { gatherPosts, ledgerClient, type PostingRequest } from "../../shared/rpc/posts.ts";
import { randomFrom } from "../../tools/simulate/random.ts";
import { testEnvironment, until } from "../support/system.ts";

const random = randomFrom(1, "owners");
const drawNodes = (count: number) =>
  Array.from({ length: count }, () => `wallet-ledger.host-${random.between(1, 2 ** 30)}`);
const countMoved = (before: readonly unknown[], after: readonly unknown[]) =>
  before.filter((owner, p) => owner !== after[p]).length;

describe("the assignment of owners", () => {
  test.each([1, 2, 3, 4, 7, 16, 20])("shares the partitions among %d nodes", (count) => {
    const nodes = drawNodes(count);
    const owners = assignOwners(nodes);
    expect(owners).toHaveLength(PARTITIONS);
    expect(nodes).toEqual(expect.arrayContaining([...new Set(owners)]));
    for (const node of nodes) {
      const owned = owners.filter((owner) => owner === node);
      expect(owned.length).toBeLessThanOrEqual(Math.ceil(PARTITIONS / count));
    }
  });

  test("is the same for every order of the nodes", () => {
    const nodes = drawNodes(5);
    expect(assignOwners(nodes.toReversed())).toEqual(assignOwners(nodes));
  });

  test("names no owner without a node", () => {
    expect(new Set(assignOwners([]))).toEqual(new Set([undefined]));
  });

  // A node that joins n others has to get one of n + 1 shares, so more than that need not move.
  test.each([2, 4, 6])("moves few partitions when a node joins %d others", (count) => {
    const runs = 200;
    let moved = 0;
    for (let i = 0; i < runs; i++) {
      const nodes = drawNodes(count + 1);
      moved += countMoved(assignOwners(nodes.slice(1)), assignOwners(nodes));
    }
    expect(moved / runs).toBeLessThan((1.4 * PARTITIONS) / (count + 1));
  });
});

describe("three nodes over NATS", () => {
  let brokers: ServiceBroker[];
  let caller: ServiceBroker;
  /** The node that does not answer until `thaw`. */
  let frozen: string | undefined;
  let thaw: () => void;
  let heard: string[];
  let posted: [string, string][];

  beforeEach(async () => {
    const config = loadConfig(
      testEnvironment({ NATS_URL: process.env.TEST_NATS_URL as string, LOG_LEVEL: "fatal" }),
    );
    const namespace = newId();
    frozen = undefined;
    const thawed = new Promise<void>((resolve) => {
      thaw = resolve;
    });
    posted = [];
    heard = [];
    const open = (name: string) => createBroker(config, `${name}-${newId()}`, namespace);
    brokers = ["a", "b", "c"].map((name) => {
      const broker = open(name);
      const { nodeID } = broker;
      const answer = <T>(result: T) => (nodeID === frozen ? thawed.then(() => result) : result);
      broker.createService({
        name: "wallet-ledger",
        events: { heard: () => void heard.push(nodeID) },
        actions: {
          fund: () => answer({ nodeID }),
          books: () => ({ nodeID }),
          post({ params }: { params: { postings: PostingRequest[] } }) {
            for (const { walletId } of params.postings) posted.push([walletId, nodeID]);
            return answer(params.postings.map(() => ({ outcome: "committed" })));
          },
        },
      });
      return broker;
    });
    caller = open("caller");
    await Promise.all([...brokers, caller].map((broker) => broker.start()));
    await until(() => nodesServing(caller, "wallet-ledger.post").length === brokers.length);
  });

  afterEach(async () => {
    thaw();
    await Promise.all([...brokers, caller].map((broker) => broker.stop()));
  });

  const listOwners = () => ledgerClient(caller).owners();
  const ownerOf = (walletId: string) => listOwners()[partitionFor(walletId, PARTITIONS)];
  const fund = async (walletId: string, from = caller) => {
    const funding = { businessId: newId(), walletId, amount: 1, reference: "r" };
    const answer: unknown = await call(from, "wallet-ledger.fund", funding, { timeoutMs: 300 });
    return (answer as { nodeID: string }).nodeID;
  };
  const reversalTo = (walletId: string): PostingRequest => ({
    ...{ id: newId(), kind: "payout-reversal", walletId, currency: "USD", method: "ACH" },
    ...{ amountMinor: 1, feesMinor: 0 },
  });

  test("fundings and posts of a wallet reach the owner of its partition", async () => {
    const wallets = Array.from({ length: 60 }, newId);
    const post = gatherPosts(ledgerClient(caller));
    await Promise.all(wallets.map((walletId) => post(reversalTo(walletId))));
    expect(new Map(posted)).toEqual(new Map(wallets.map((id) => [id, ownerOf(id)])));
    expect(await Promise.all(wallets.map((id) => fund(id)))).toEqual(wallets.map(ownerOf));
    expect(new Set(posted.map(([, node]) => node)).size).toBe(brokers.length);
  });

  test("a node of the ledger posts to the owner too, and asks itself everything else", async () => {
    const wallets = Array.from({ length: 20 }, newId);
    const [node] = brokers as [ServiceBroker];
    await until(() => nodesServing(node, "wallet-ledger.post").length === brokers.length);
    const reached = await Promise.all(wallets.map((id) => fund(id, node)));
    expect(reached).toEqual(wallets.map(ownerOf));
    expect(await call(node, "wallet-ledger.books", {})).toEqual({ nodeID: node.nodeID });
  });

  test("events go to the nodes in turn, and a call without parameters to one of them", async () => {
    await until(() => caller.registry.events.getGroups("heard").length === 1);
    for (const _node of brokers) await caller.emit("heard");
    await until(() => heard.length === brokers.length);
    const nodes = brokers.map(({ nodeID }) => nodeID);
    expect(heard.toSorted()).toEqual(nodes.toSorted());
    const answer = await caller.call("wallet-ledger.fund", null as never);
    expect(nodes).toContain((answer as { nodeID: string }).nodeID);
  });

  test("a node that did not answer in time owns nothing for a while", async () => {
    const walletId = newId();
    frozen = ownerOf(walletId);
    await expect(fund(walletId)).rejects.toMatchObject({ type: "REQUEST_TIMEOUT" });
    expect(ownerOf(walletId)).not.toBe(frozen);
    expect(await fund(walletId)).toBe(ownerOf(walletId));
    expect(listOwners()).not.toContain(frozen);
  });

  test("postings that wait for a node that does not answer go to the next owner", async () => {
    const walletId = newId();
    frozen = ownerOf(walletId);
    const post = gatherPosts(ledgerClient(caller));
    const first = post(reversalTo(walletId));
    await until(() => posted.length > 0);
    const second = post(reversalTo(walletId));
    expect(await first).toEqual({ outcome: "failed", reason: "unknown" });
    expect(await second).toEqual({ outcome: "committed" });
  });

  test("the owners stay if no node answers in time", async () => {
    const before = listOwners();
    for (const { nodeID } of brokers) {
      frozen = nodeID;
      const walletId = await until(() => {
        const id = newId();
        return ownerOf(id) === nodeID && id;
      });
      await expect(fund(walletId)).rejects.toMatchObject({ type: "REQUEST_TIMEOUT" });
    }
    expect(listOwners()).toEqual(before);
  });
});
