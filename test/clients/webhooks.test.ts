// The client's check of webhook messages: it accepts only payrail's messages, also during a
// rotation of the secret.

import { randomBytes, randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import {
  Payrail,
  signWebhook,
  verifyWebhook,
  type WebhookSignatureError,
} from "../../clients/typescript/src/index.ts";
import { until } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

const SECRET = `whsec_${randomBytes(32).toString("base64")}`;
const BODY = '{"eventType":"TEST","status":"TEST","payload":{}}';
const NOW = Date.now();

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

const signed = (at = NOW, body = BODY) => signWebhook(body, SECRET, { id: randomUUID(), at });

function codeOf(verify: () => unknown): string {
  try {
    verify();
  } catch (error) {
    return (error as WebhookSignatureError).code;
  }
  return "valid";
}

test("payrail's messages are valid, also during a rotation of the secret", async () => {
  const { business, user, wallet } = await world.payer(100);
  const hook = await world.hook(business);
  const payrail = new Payrail({ baseUrl: world.http.url, token: business.token });
  const bank = await world.bank(business, wallet);
  await world.withdraw(user, bank, { routingType: "RTP" });
  await until(() => hook.received.length === 3, { awaited: "three events" });
  for (const { text, headers, body } of hook.received) {
    const event = payrail.webhooks.verify(text, headers, hook.secret);
    const { id, sentAt, ...rest } = event;
    expect(rest).toEqual(body);
    expect(id).toBe(headers["webhook-id"]);
    expect(Math.abs(Date.now() - sentAt.getTime())).toBeLessThan(60_000);
  }

  const rotated = await payrail.webhooks.rotateSecret(hook.id);
  await payrail.webhooks.test(hook.id);
  const { text, headers } = await until(() => hook.received[3], { awaited: "the test event" });
  for (const secret of [hook.secret, rotated.secret, [rotated.secret, hook.secret]]) {
    expect(verifyWebhook(Buffer.from(text), new Headers(headers as never), secret)).toMatchObject({
      eventType: "TEST",
    });
  }
  expect(codeOf(() => verifyWebhook(text, headers, SECRET))).toBe("wrong_signature");
});

test("a replayed message has the id of the first", async () => {
  const business = await world.business();
  const hook = await world.hook(business);
  const payrail = new Payrail({ baseUrl: world.http.url, token: business.token });
  const { id } = await payrail.webhooks.test(hook.id);
  const [delivery] = await until(async () => {
    const found = await payrail.webhooks.deliveries({ id: hook.id }).toArray();
    return found[0]?.status === "DELIVERED" && found;
  });
  await payrail.webhooks.replayDelivery({ id: hook.id, deliveryId: delivery?.id ?? "" });
  await until(() => hook.received.length === 2, { awaited: "the replay" });
  const ids = hook.received.map(
    ({ text, headers }) => verifyWebhook(text, headers, hook.secret).id,
  );
  expect(ids).toEqual([id, id]);
});

test("a message is refused with the reason", () => {
  const headers = signed();
  const verify = (changed: object, body = BODY, secret = SECRET) =>
    codeOf(() => verifyWebhook(body, { ...headers, ...changed }, secret, NOW));
  expect(verify({})).toBe("valid");
  expect(verify({}, BODY.replace("TEST", "test"))).toBe("wrong_signature");
  expect(verify({ "webhook-id": randomUUID() })).toBe("wrong_signature");
  expect(verify({ "webhook-timestamp": String(Math.floor(NOW / 1_000) - 1) })).toBe(
    "wrong_signature",
  );
  expect(verify({ "webhook-timestamp": "yesterday" })).toBe("invalid_timestamp");
  expect(verify({ "webhook-signature": "v1," })).toBe("wrong_signature");
  expect(verify({ "webhook-signature": headers["webhook-signature"].replace("v1", "v2") })).toBe(
    "wrong_signature",
  );
  for (const name of Object.keys(headers)) {
    expect(verify({ [name]: undefined })).toBe("missing_header");
  }
  expect(verify({}, BODY, SECRET.slice(6))).toBe("invalid_secret");
  expect(verify({}, BODY, "whsec_c2hvcnQ=")).toBe("invalid_secret");
});

test("a message is valid for five minutes around its signature", () => {
  const minute = 60_000;
  // A timestamp has whole seconds.
  const at = Math.floor(NOW / 1_000) * 1_000;
  const ageOf = (age: number) => codeOf(() => verifyWebhook(BODY, signed(at), SECRET, at + age));
  expect([ageOf(5 * minute), ageOf(5 * minute + 1)]).toEqual(["valid", "too_old"]);
  expect([ageOf(-5 * minute), ageOf(-5 * minute - 1)]).toEqual(["valid", "in_the_future"]);
});

test("signWebhook and standardwebhooks agree, and one fitting signature of several is enough", () => {
  const headers = signed(Date.now());
  expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY));
  const other = new Webhook(`whsec_${randomBytes(32).toString("base64")}`);
  const id = randomUUID();
  const signatures = [other, new Webhook(SECRET)].map((each) => each.sign(id, new Date(), BODY));
  const both = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
    "webhook-signature": signatures.join(" "),
  };
  expect(verifyWebhook(BODY, both, SECRET).id).toBe(id);
});
