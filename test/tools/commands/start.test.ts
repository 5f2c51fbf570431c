// npm start: after a first start the withdrawal of the banner works, and a second start keeps the
// data. A start that cannot work ends with one sentence that names the cause; most of the causes
// are in start-failures.deep.test.ts.

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import {
  inSandbox,
  processesOf,
  RUNNING,
  readFailure,
  runNode,
  runScript,
  type Script,
  withdrawAsShown,
} from "../../support/scripts.ts";
import { until } from "../../support/system.ts";

/** Reads a value of the banner by its name. */
function readBanner(script: Script, name: string): string {
  const line = script
    .stdout()
    .split("\n")
    .find((each) => each.startsWith(name));
  return (line ?? "").slice(name.length).trim();
}

function subjectOf(token: string): string {
  const payload = Buffer.from(token.split(".")[1] as string, "base64url").toString();
  return (JSON.parse(payload) as { sub: string }).sub;
}

test("a second start keeps the demo and the withdrawal of the first start", () =>
  inSandbox(async (place) => {
    const first = runScript("npm", ["start"], place.environment);
    await first.waitForOutput(RUNNING);
    expect(readBanner(first, "Address")).toBe(`http://127.0.0.1:${place.port}`);
    const docs = await fetch(readBanner(first, "Documentation"));
    expect(docs.status).toBe(200);

    const client = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: readBanner(first, "Client id"),
      client_secret: readBanner(first, "Client secret"),
    });
    const issued = await fetch(`${readBanner(first, "Address")}/v1/oauth/token`, {
      method: "POST",
      body: client,
    });
    const { access_token } = (await issued.json()) as { access_token: string };
    expect(subjectOf(access_token)).toBe(subjectOf(readBanner(first, "Merchant token")));
    const businesses = await fetch(`${readBanner(first, "Address")}/v1/admin/businesses`, {
      headers: { authorization: `Bearer ${readBanner(first, "Admin token")}` },
    });
    expect(businesses.status).toBe(200);

    const answer = JSON.parse(withdrawAsShown(first));
    expect(answer).toMatchObject({ success: true, data: { amount: "25.25", fees: "0.25" } });

    first.interrupt();
    await first.exit;
    await until(() => processesOf(place.dataDir).length === 0, {
      awaited: "the end of all processes",
    });

    const second = runScript("npm", ["start"], place.environment);
    await second.waitForOutput(RUNNING);
    for (const name of ["Client id", "Client secret"]) {
      expect(readBanner(second, name)).toBe(readBanner(first, name));
    }
    for (const name of ["Admin token", "Merchant token", "User token"]) {
      expect(subjectOf(readBanner(second, name))).toBe(subjectOf(readBanner(first, name)));
    }
    expect(second.stdout()).toContain("9974.75 USD");

    // Only npm gets the signal, as from a process manager.
    process.kill(second.pid, "SIGTERM");
    await second.exit;
    await until(() => processesOf(place.dataDir).length === 0, {
      awaited: "the end of all processes",
    });
  }));

/** The error of a start with these settings. */
const failWith = (settings: NodeJS.ProcessEnv) =>
  inSandbox(({ environment }) => readFailure({ ...environment, ...settings }));

test.concurrent("--help prints the usage, and another argument is refused", () =>
  inSandbox(async ({ environment }) => {
    const help = runNode("tools/commands/start.ts", ["--help"], environment);
    expect((await help.exit).code).toBe(0);
    expect(help.stdout()).toMatch(/^npm start\n/);
    const wrong = runNode("tools/commands/start.ts", ["--halp"], environment);
    expect((await wrong.exit).code).toBe(1);
    expect(wrong.stderr()).toContain("--halp");
  }));

test.concurrent("a port in use ends the start before any other program starts", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const failure = await failWith({ PORT: String(port) }).finally(() => holder.close());
  expect(failure).toBe(`PORT ${port} on 127.0.0.1 is in use; stop what listens there or set PORT.`);
});

test.concurrent("production without keys ends the start at once with one sentence", async () => {
  const failure = await failWith({ NODE_ENV: "production" });
  const missing = ["MONGO_URL", "NATS_URL", "JWT_PUBLIC_KEY", "ENCRYPTION_KEYS", "FINGERPRINT_KEY"];
  for (const part of missing) expect(failure).toContain(part);
});
