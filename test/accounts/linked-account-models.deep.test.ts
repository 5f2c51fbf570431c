// Random queries of the business list of linked accounts find the accounts that a model finds.

import { drawQuery, idsOf, manyRows, modelled, queryText } from "../support/listed.ts";
import { seeded } from "../support/traffic.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

test("filters in any combination, with any order and page, find the model's accounts", async () => {
  const random = seeded();
  const business = await world.business();
  const rows = await manyRows(world, business, random, 90);
  for (let i = 0; i < 400; i += 1) {
    const query = drawQuery(random);
    const text = queryText(query);
    const path = `/v1/business/${business.id}/linked-accounts/USD?${text}`;
    const answer = await world.http.get(path, { token: business.token });
    const { ids, meta } = modelled(rows, query, 50);
    expect([text, idsOf(answer), answer.body.meta]).toEqual([text, ids, meta]);
  }
});

test("filters in any combination find the same by cursor, newest first", async () => {
  const random = seeded();
  const business = await world.business();
  const rows = await manyRows(world, business, random, 60);
  for (let i = 0; i < 100; i += 1) {
    const { page: _, sortBy: _by, sortDirection: _direction, ...query } = drawQuery(random);
    const path = `/v1/business/${business.id}/linked-accounts/USD?${queryText(query)}&order=newest`;
    const found: string[] = [];
    for (let place = ""; ; ) {
      const answer = await world.http.get(`${path}${place}`, { token: business.token });
      found.push(...idsOf(answer));
      const { nextCursor } = answer.body.meta;
      if (nextCursor === null) break;
      place = `&cursor=${nextCursor}`;
    }
    const { ids } = modelled(rows, { ...query, limit: rows.length }, 50);
    expect([query, found]).toEqual([query, ids.toReversed()]);
  }
});
