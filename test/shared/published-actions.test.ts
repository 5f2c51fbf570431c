// The actions that callers can reach: those of the contracts and no generic action of a mixin, such
// as moleculer-db's `find`, which takes any query.

import moleculerDb from "moleculer-db";
import { contracts } from "../../shared/contracts/contracts.ts";
import { call } from "../../shared/rpc/actions.ts";
import { startWorld, type World } from "../support/world.ts";

const GENERIC = Object.keys((moleculerDb as unknown as { actions: object }).actions);

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

test("the services publish exactly the actions of the contracts, with their parameters", () => {
  const listed = world.broker.registry.actions.list({ onlyLocal: true, skipInternal: true });
  const published = listed.map(({ name, action }) => [name, Object.keys(action?.params ?? {})]);
  const all = Object.entries(contracts).map(([name, { params }]) => [name, Object.keys(params)]);
  expect(Object.fromEntries(published)).toEqual(Object.fromEntries(all));
  const services = world.broker.services.map(({ name }) => name);
  expect(services).toEqual(expect.arrayContaining(["gateway", "accounts", "wallet-ledger"]));
});

test("a service has no generic action of moleculer-db, not even a private one", () => {
  expect(GENERIC).toEqual(expect.arrayContaining(["find", "list", "count", "insert", "update"]));
  for (const { actions = {} } of world.broker.services) {
    expect(GENERIC.filter((name) => Object.hasOwn(actions, name))).toEqual([]);
  }
});

test("a query that a caller adds to a list's parameters changes nothing", async () => {
  const [business, other] = [await world.business(), await world.business()];
  const params = { businessId: business.id, query: { businessId: other.id }, sort: "-_id" };
  const { items, meta } = await call(world.broker, "accounts.clients", params);
  expect(items.map(({ id }) => id)).toEqual([business.clientId]);
  expect(meta).toMatchObject({ total: 1 });
});
