// docker-compose.yml on a real engine: from nothing to a withdrawal whose events a merchant's
// receiver gets, scaling, confinement, and a clean stop.

import { SERVICE_NAMES } from "../../shared/rpc/service-names.ts";
import { testUnless } from "../support/needed-tools.ts";
import { RUNNING } from "../support/scripts.ts";
import { until } from "../support/system.ts";
import { composeProject, type Project, whyNoEngine } from "./engine.ts";

const UP_WITHIN_MS = 900_000;
const PORT = "13000";

const reason = await whyNoEngine();
const onEngine = testUnless(reason, "the containers");

let project: Project;
let banner: string;

beforeAll(async () => {
  if (reason !== null) return;
  project = await composeProject("payrail-test", { PORT });
  const image = process.env.PAYRAIL_IMAGE ? "--no-build" : "--build";
  await project.compose("up", "--detach", image);
  const hasEnded = async () => {
    banner = await project.logs("demo");
    return banner.includes(RUNNING);
  };
  await until(hasEnded, { within: UP_WITHIN_MS, awaited: "the banner" });
}, UP_WITHIN_MS);

afterAll(async () => {
  if (reason === null) await project.compose("down", "--volumes", "--timeout", "5");
}, UP_WITHIN_MS);

/** A request of the gateway, sent in its container, so that the engine may be anywhere. */
async function request(token: string, method: string, path: string, body?: object) {
  const code = `
    const [url, method, token, body] = process.argv.slice(1);
    const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
    const answer = await fetch(url, { method, headers, body: body || undefined });
    console.log(JSON.stringify({ status: answer.status, body: await answer.json() }));`;
  const url = `http://127.0.0.1:${PORT}${path}`;
  const text = body ? JSON.stringify(body) : "";
  return JSON.parse(await project.node("gateway", code, url, method, token, text));
}

const shown = (pattern: RegExp) => (pattern.exec(banner) as RegExpExecArray)[1] as string;

async function withdraw(): Promise<string> {
  const path = shown(/(\/v1\/ext\/linked-accounts\/USD\/\S+\/withdrawal)/);
  const body = { amount: 25, walletType: "SPEND", reason: "Payout" };
  const answer = await request(shown(/User token +(\S+)/), "POST", path, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.data.id;
}

async function untilReceived(transactionId: string, status: string): Promise<void> {
  const awaited = `the event of ${status}`;
  const isReceived = async () => {
    const events = (await project.logs("receiver")).split("\n");
    return events.some((event) => event.includes(transactionId) && event.includes(status));
  };
  await until(isReceived, { within: 120_000, awaited });
}

onEngine("a withdrawal's events reach the merchant, also with three payouts", async () => {
  const merchant = shown(/Merchant token +(\S+)/);
  const { sub } = JSON.parse(
    Buffer.from(merchant.split(".")[1] as string, "base64url").toString(),
  ) as { sub: string };
  const hook = { url: "http://receiver:4000/" };
  const registered = await request(merchant, "POST", `/v1/business/${sub}/webhooks`, hook);
  expect(registered).toMatchObject({ status: 201 });
  await untilReceived(await withdraw(), "SUCCESS");

  await project.compose("up", "--detach", "--no-build", "--no-recreate", "--scale", "payouts=3");
  const areHealthy = async () => {
    const states = (await project.inspect("payouts")).map(({ State }) => State.Health.Status);
    return states.length === 3 && states.every((state) => state === "healthy");
  };
  await until(areHealthy, { within: 300_000, awaited: "three payouts" });
  await untilReceived(await withdraw(), "SUCCESS");
  await project.compose("run", "--rm", "verify");
});

onEngine("every service runs confined, and the gateway reaches only NATS", async () => {
  for (const name of SERVICE_NAMES) {
    const [{ Config, HostConfig }] = await project.inspect(name);
    expect({ name, user: Config.User, ...HostConfig }).toMatchObject({
      name,
      user: "10001:10001",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
    });
  }
  const write = `
    import { writeFileSync } from "node:fs";
    try { writeFileSync("/app/x", ""); } catch ({ code }) { console.log(process.getuid(), code); }`;
  expect((await project.node("payouts", write)).trim()).toBe("10001 EROFS");
  const reach = `
    import { connect } from "node:net";
    const reaches = (host, port) => new Promise((resolve) => {
      connect({ host, port, timeout: 3000 })
        .once("connect", () => resolve(true))
        .once("timeout", () => resolve(false))
        .once("error", () => resolve(false));
    });
    const hosts = { nats: 4222, mongo: 27017, accounts: 9090, receiver: 4000 };
    for (const [host, port] of Object.entries(hosts)) console.log(host, await reaches(host, port));
    process.exit();`;
  expect((await project.node("gateway", reach)).trim().split("\n")).toEqual([
    ...["nats true", "mongo false", "accounts false", "receiver false"],
  ]);
});

onEngine("every service stops with exit code 0", async () => {
  await project.compose("stop", ...SERVICE_NAMES.toReversed());
  for (const name of SERVICE_NAMES) {
    const codes = (await project.inspect(name)).map(({ State }) => State.ExitCode);
    expect({ name, codes }).toEqual({ name, codes: codes.map(() => 0) });
  }
});
