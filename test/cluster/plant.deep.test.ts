// The faults of a plant bite, and it works as a whole after each heal.

import { readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { randomFrom } from "../../tools/simulate/random.ts";
import { type Http, httpClient } from "../support/http.ts";
import { until } from "../support/system.ts";
import { buildersOver, type TestAccount, type TestUser } from "../support/world.ts";
import { loseUnjournalled } from "./nemesis/disks.ts";
import type { Begun, Fault } from "./nemesis/fault.ts";
import { FAULTS } from "./nemesis/faults.ts";
import { type Plant, startPlant } from "./plant/plant.ts";
import { findPreviousRelease } from "./plant/previous-release.ts";

const HOUR_MS = 3_600_000;

let plant: Plant;
let http: Http;
let builders: ReturnType<typeof buildersOver>;
let user: TestUser;
let bank: TestAccount;

beforeAll(async () => {
  plant = await startPlant();
  http = await httpClient(Number(new URL(plant.gateways[0] as string).port));
  builders = buildersOver(plant, http);
  const business = await builders.business();
  user = await builders.user(business);
  const wallet = await builders.wallet(business, user, 1_000);
  bank = await builders.bank(business, wallet);
});
afterEach(() => plant.awaitHealed());
afterAll(async () => {
  await builders?.verifyBooks();
  builders?.close();
  await plant?.stop();
});

const withdraw = () => builders.withdraw(user, bank, { amount: 0.5 });
const isServed = async () => (await withdraw()).status === 200;
const isRefused = async () => (await withdraw()).status !== 200;

function findFault(name: string): Fault {
  const fault = FAULTS.find((each) => each.name === name);
  if (!fault) throw new Error(`No fault is named "${name}"`);
  return fault;
}

/** Begins a fault by its name. */
function begin(name: string): Promise<Begun> {
  return findFault(name).begin(plant, randomFrom(1, name));
}

async function isOtherPrimary(former: string): Promise<boolean> {
  const primary = await plant.mongo.findPrimary();
  return primary !== null && primary.name !== former;
}

test.each([
  "the primary steps down",
  "the primary is killed",
  "the primary is frozen",
  "the primary is cut from members and processes",
])("if %s, withdrawals go on at another one", async (name) => {
  const { target, heal } = await begin(name);
  try {
    await until(() => isOtherPrimary(target), { awaited: "another primary" });
    await until(isServed, { awaited: "a withdrawal" });
  } finally {
    await heal();
  }
});

test("a primary without the other members steps down, though processes reach it", async () => {
  const { target, heal } = await begin("the primary is cut from the other members");
  const former = plant.mongo.members.find(({ name }) => name === target);
  const isPrimary = async () => (await former?.command({ hello: 1 }))?.isWritablePrimary;
  try {
    await until(() => isOtherPrimary(target), { awaited: "another primary" });
    await until(async () => !(await isPrimary()), { awaited: "the end of the former one" });
    await until(isServed, { awaited: "a withdrawal" });
  } finally {
    await heal();
  }
});

test.each([
  ["NATS", "payouts-", "nats-"],
  ["MongoDB", "wallet-ledger-", "mongo-"],
])("a service that is cut from %s serves nothing until the heal", async (_, service, server) => {
  const isCut = (from: string, to: string) => from.startsWith(service) && to.startsWith(server);
  const heal = plant.network.impose({ kind: "drop" }, isCut);
  try {
    await until(isRefused, { awaited: "a failure" });
  } finally {
    heal();
  }
  await until(isServed, { awaited: "a withdrawal" });
});

/** Whether this machine can do a fault; if not, prints what it lacks. */
async function canDo(name: string): Promise<boolean> {
  const lack = await findFault(name).lack?.(plant);
  if (lack) process.stderr.write(`Not tried: ${name}: ${lack}\n`);
  return !lack;
}

test("a mongod whose disk is full ends, and comes back when there is room", async () => {
  if (!(await canDo("the disk of a mongod is full"))) return;
  const { target, heal } = await begin("the disk of a mongod is full");
  const full = plant.mongo.members.find(({ name }) => name === target);
  try {
    await until(() => !full?.isRunning(), { awaited: `the end of ${target}` });
    await until(isServed, { awaited: "a withdrawal" });
  } finally {
    await heal();
  }
});

test("a mongod that loses what was not journalled has forgotten writes", async () => {
  const primary = await plant.mongo.primary();
  const member = plant.mongo.members.find((each) => each !== primary);
  if (!member) throw new Error("The replica set has one member");
  let applied = 0n;
  const readApplied = async () => {
    const { optimes } = await member.command({ replSetGetStatus: 1 });
    return optimes.appliedOpTime.ts.toBigInt() as bigint;
  };
  const noteApplied = async () => {
    // A question may be answered after the kill.
    const read = await readApplied().catch(() => 0n);
    if (read > applied) applied = read;
  };
  const reading = setInterval(() => void noteApplied(), 50);
  const lost = loseUnjournalled(member, join(plant.files, "journal"));
  const writing = until(async () => (await isServed()) && !member.isRunning());
  await Promise.all([lost, writing]);
  clearInterval(reading);
  // It would catch up at once.
  const isMember = (name: string) => name.startsWith("mongo-");
  const isOwn = (from: string, to: string) =>
    from !== to && isMember(from) && isMember(to) && [from, to].includes(member.name);
  const reconnect = plant.network.impose({ kind: "reset" }, isOwn);
  try {
    await member.start();
    expect(await until(() => readApplied().catch(() => null))).toBeLessThan(applied);
  } finally {
    reconnect();
  }
});

test("processes whose clocks are ahead stamp what they make with the database's time", async () => {
  const accounts = plant.services.filter(({ service }) => service === "accounts");
  await Promise.all(accounts.map(({ restartAs }) => restartAs({ clockOffsetMs: HOUR_MS })));
  for (const { name } of accounts) {
    const log = () => readFile(join(plant.logs, `${name}.log`), "utf8");
    const isCorrected = async () => /clock is 3[56]\d{5} ms ahead of/.test(await log());
    await until(isCorrected, { awaited: "the corrected clock" });
  }
  const { id } = await until(() => builders.business().catch(() => null));
  // The first 48 bits of a UUID of version 7 are epoch ms.
  const madeAt = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
  expect(Math.abs(madeAt - Date.now())).toBeLessThan(HOUR_MS / 2);
  await Promise.all(accounts.map(({ restartAs }) => restartAs({ clockOffsetMs: 0 })));
});

test("a process of the previous release joins those of this one", async () => {
  if (!(await canDo("a process is of the previous release"))) return;
  const { code } = await findPreviousRelease(plant.files);
  const node = plant.services.find(({ service }) => service === "wallet-ledger");
  await node?.restartAs({ code });
  expect(await readlink(`/proc/${node?.pid()}/cwd`)).toBe(code);
  await plant.awaitHealed();
  await node?.restartAs({ code: null });
});
