// GET /v1/admin/verification: the last recorded verification, and that it is overdue.

import { randomUUID } from "node:crypto";
import mongoose, { type mongo } from "mongoose";
import type { Verification } from "../../services/wallet-ledger/verification.model.ts";
import { newId } from "../../shared/ids.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

const HOUR_MS = 3_600_000;

let world: World;
let client: mongo.MongoClient;
beforeAll(async () => {
  world = await startWorld();
  client = new mongoose.mongo.MongoClient(world.config.mongoUrl as string);
});
afterAll(async () => {
  await client?.close();
  await world?.stop();
});

async function show() {
  const token = world.tokens.admin(randomUUID());
  return dataOf(await world.http.get("/v1/admin/verification", { token }), 200);
}

/** Stores a verification that finished so long ago. */
async function record(agoMs: number, found: Partial<Verification> = {}): Promise<Verification> {
  const finishedAt = new Date(Date.now() - agoMs);
  const verification: Verification = {
    _id: newId(),
    startedAt: new Date(finishedAt.getTime() - 60_000),
    finishedAt,
    version: "0.1.0",
    ok: true,
    violationCount: 0,
    rules: [{ rule: "funds", checked: 7, violations: 0 }],
    violations: [],
    ...found,
  };
  await client.db().collection<Verification>("verifications").insertOne(verification);
  return verification;
}

test("the last verification is shown, and is overdue after 26 hours or if there is none", async () => {
  expect(await show()).toEqual({
    startedAt: null,
    finishedAt: null,
    overdue: true,
    ok: null,
    version: null,
    violationCount: null,
    rules: [],
    violations: [],
  });

  const violated = { rule: "funds", detail: "the wallet 1 has -5" };
  await record(27 * HOUR_MS, { ok: false, violationCount: 1, violations: [violated] });
  expect(await show()).toMatchObject({
    overdue: true,
    ok: false,
    violationCount: 1,
    violations: [violated],
  });

  const { _id, startedAt, finishedAt, ...last } = await record(25 * HOUR_MS);
  expect(await show()).toEqual({
    ...last,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    overdue: false,
  });
});

test("only an admin sees it", async () => {
  const business = await world.business();
  const answer = await world.http.get("/v1/admin/verification", { token: business.token });
  expect(answer.status).toBe(401);
});
