// Webhooks of acquirers: the module reads them with their exact bytes, and payrail asks the
// acquirer sooner. No webhook decides anything itself.

import { randomUUID } from "node:crypto";
import type { Notification } from "../../../partners/types.ts";
import { type PaymentBooks, watchLink } from "../../support/payments.ts";
import { CAPTURED, unansweredPayments, VOIDED } from "../../support/unanswered.ts";
import { dataOf, type World } from "../../support/world.ts";

const PATH = "/v1/acquirers/scripted/notifications";
const ACTION = { kind: "action", action: "secret" } as const;

const unanswered = unansweredPayments();
const { script } = unanswered;
const heard: Notification[] = [];
let ids: unknown = [];
let world: World;
let books: PaymentBooks;

beforeAll(async () => {
  script.acquirer.notified = async (notification) => {
    heard.push(notification);
    if (notification.headers["x-signature"] !== "right") throw new Error("A wrong signature");
    return ids as string[];
  };
  ({ world, books } = await unanswered.start());
});
beforeEach(() => {
  unanswered.reset();
  script.answers.charge = async () => ACTION;
  script.answers.outcome = async () => ACTION;
  script.answers.void = async () => VOIDED;
});
afterAll(() => unanswered.stop());

const notify = (body: string, headers: Record<string, string> = {}, path = PATH) =>
  world.http.request("POST", path, {
    raw: body,
    headers: { "content-type": "application/json", "x-signature": "right", ...headers },
  });

async function begin() {
  const watched = await watchLink(world);
  return { ...watched, id: dataOf(await world.pay(watched.link, "card"), 200).id as string };
}

test("the acquirer is asked at once about the payment, and its own answer counts", async () => {
  const { id, balance } = await begin();
  script.answers.outcome = async () => CAPTURED;
  ids = [id];
  expect((await notify('{"type":"failed"}')).status).toBe(200);
  await books.ended(id);
  expect(await books.payments.findOne({ _id: id })).toMatchObject({ status: "SUCCEEDED" });
  expect(await balance()).toBe("25.00");
});

test("repeated and late webhooks move nothing more", async () => {
  const { id, balance } = await begin();
  script.answers.outcome = async () => CAPTURED;
  ids = [id, id];
  await Promise.all([notify("{}"), notify("{}"), notify("{}")]);
  await books.ended(id);
  expect((await notify("{}")).status).toBe(200);
  expect(await balance()).toBe("25.00");
});

test("the module gets the bytes as they were sent, and no credentials of payrail's", async () => {
  ids = [];
  const text = '{\n  "id": "evt_1",\n  "amount": 1.0,\n  "name": "Zoë"\n}\n';
  const { status } = await notify(text, { authorization: "Bearer secret", cookie: "a=b" });
  expect(status).toBe(200);
  const { body, headers } = heard.at(-1) as Notification;
  expect(body).toBe(text);
  expect(headers).toMatchObject({ "x-signature": "right" });
  expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(["authorization"]));
  expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(["cookie"]));
});

test("a webhook that is not the acquirer's is refused, and asks nothing", async () => {
  const { id } = await begin();
  ids = [id];
  const asked = script.timesAsked("outcome", id);
  const { status, body } = await notify("{}", { "x-signature": "forged" });
  expect([status, body.message]).toEqual([400, "The notification is not the acquirer's"]);
  expect(script.timesAsked("outcome", id)).toBe(asked);
});

test.each([
  ["unknown ids", () => [randomUUID(), "x"]],
  ["ids that are no texts", () => [{ $gt: "" }, 7, null]],
  ["no ids", () => []],
])("%s change nothing", async (_case, given) => {
  ids = given();
  expect((await notify("{}")).status).toBe(200);
});

test("an acquirer that is unknown, or takes no webhooks, is not found", async () => {
  for (const name of ["other", "sandbox", "%24ne", "__proto__"]) {
    const { status } = await notify("{}", {}, `/v1/acquirers/${name}/notifications`);
    expect([name, status]).toEqual([name, 404]);
  }
});

test("a body that is too large is refused before the module sees it", async () => {
  const before = heard.length;
  expect((await notify("x".repeat(300_000))).status).toBe(413);
  expect(heard).toHaveLength(before);
});
