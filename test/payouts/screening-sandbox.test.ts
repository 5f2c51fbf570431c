// The sandbox's screening, which is on by default, and the screening over HTTP.

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import type { Screened } from "../../partners/types.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
let world: World | undefined;
afterEach(async () => {
  await world?.verifyBooks();
  await world?.stop();
  world = undefined;
});

async function payTo(lastName: string) {
  const started = world as World;
  const { business, user, wallet } = await started.payer(100);
  const bank = await started.bank(business, wallet, "6789", { lastName });
  const id: string = dataOf(await started.withdraw(user, bank, { amount: 10 }), 200).id;
  return { started, business, wallet, id };
}

async function held({ http, tokens }: World, id: string) {
  const token = tokens.admin(randomUUID());
  return until(async () => {
    const reviews = dataOf(await http.get("/v1/admin/reviews", { token }), 200);
    return reviews.find((each: { id: string }) => each.id === id);
  });
}

test("the sandbox holds the word Review, denies the word Deny, and allows others", async () => {
  world = await startWorld();
  const [reviewed, denied, allowed] = [
    await payTo("Review"),
    await payTo("Deny"),
    await payTo("Denyer-Reviews"),
  ];
  expect(await held(world, reviewed.id)).toMatchObject({ history: [{ by: "sandbox" }] });
  await world.status(denied.business, denied.id, "FAILED");
  expect(await world.balance(denied.business, denied.wallet)).toBe("100.00");
  await world.status(allowed.business, allowed.id, "SUCCESS");
});

test("screening-http posts the payout, signed, and takes the JSON of the answer", async () => {
  const seen: Screened[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const headers = request.headers as Record<string, string>;
    const asked = new Webhook(SECRET).verify(body, headers) as Screened;
    seen.push(asked);
    const { name } = asked.party;
    if (name.endsWith("Away")) response.statusCode = 500;
    const decision = name.endsWith("Deny") ? "deny" : "allow";
    response.end(JSON.stringify({ decision, code: "sanctions" }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const settings = {
    SCREENING: "./partners/screening-http/screening.ts",
    SCREENING_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/screen`,
    SCREENING_SECRET: SECRET,
  };
  const { SCREENING: _path, ...ofModule } = settings;
  Object.assign(process.env, ofModule);
  try {
    world = await startWorld({ environment: settings });
    const [allowed, denied, unknown] = [
      await payTo("Lovelace"),
      await payTo("Deny"),
      await payTo("Away"),
    ];
    await world.status(allowed.business, allowed.id, "SUCCESS");
    await world.status(denied.business, denied.id, "FAILED");
    await held(world, unknown.id);
    expect(seen.map(({ id }) => id).sort()).toEqual([allowed.id, denied.id, unknown.id].sort());
  } finally {
    for (const name of Object.keys(ofModule)) delete process.env[name];
    server.close();
  }
});
