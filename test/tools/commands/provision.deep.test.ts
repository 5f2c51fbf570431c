// npm run provision: MongoDB and nats-server as they start with its files, and wrong commands.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { connect } from "nats";
import { administratorUrl } from "../../../tools/commands/provision/replica-set.ts";
import { binDirectory, provideBinary } from "../../../tools/platform/binaries.ts";
import { freePort } from "../../../tools/platform/ports.ts";
import { guard } from "../../../tools/platform/processes.ts";
import { inherited } from "../../support/inherited.ts";
import { runNode } from "../../support/scripts.ts";
import { until } from "../../support/system.ts";

let out: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  out = join(mkdtempSync(join(tmpdir(), "payrail-provision-")), "secrets");
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    await until(() => child.exitCode !== null || child.signalCode !== null);
  }
  rmSync(join(out, ".."), { recursive: true, force: true });
});

async function provision(...args: string[]) {
  const script = runNode("tools/commands/provision.ts", [...args, "--out", out], inherited());
  const { code } = await script.exit;
  return { code, stderr: script.stderr().trim() };
}

const read = (name: string) => readFileSync(join(out, name), "utf8");

async function start(program: "mongod" | "nats-server", args: string[]): Promise<void> {
  const binary = await provideBinary(program, binDirectory(), () => {});
  const child = spawn(binary, args, { stdio: "ignore" });
  guard(child);
  children.push(child);
}

test("mongod and nats-server start with the files, and each user reaches its own part", async () => {
  const [mongoPort, natsPort] = [await freePort(), await freePort()];
  const addresses = ["--mongo", `localhost:${mongoPort}`, "--nats", `localhost:${natsPort}`];
  expect(await provision("secrets", ...addresses)).toMatchObject({ code: 0 });
  const data = join(out, "..");
  await start("mongod", [
    ...["--dbpath", data, "--port", String(mongoPort), "--bind_ip", "127.0.0.1", "--nounixsocket"],
    ...["--replSet=rs0", "--auth", "--clusterAuthMode=x509", "--tlsMode=requireTLS"],
    ...["--tlsCertificateKeyFile", join(out, "mongo/server.pem")],
    ...["--tlsCAFile", join(out, "mongo/ca.pem"), "--tlsAllowConnectionsWithoutCertificates"],
  ]);
  await start("nats-server", ["--config", join(out, "nats/nats.conf"), "-p", String(natsPort)]);

  const first = await provision("database", ...addresses);
  expect(first.stderr).toContain(`Made the replica set rs0 of localhost:${mongoPort}`);
  expect(first).toMatchObject({ code: 0 });
  expect(await provision("database", ...addresses)).toMatchObject({ code: 0 });
  const client = new mongoose.mongo.MongoClient(read("wallet-ledger/MONGO_URL"));
  try {
    const own = client.db("payrail").collection("ledger_watermarks");
    await expect(own.findOne({})).resolves.toBeNull();
    const foreign = client.db("payrail").collection("linked_accounts");
    await expect(foreign.findOne({})).rejects.toThrow("not authorized");
  } finally {
    await client.close();
  }
  // The same authority signs the certificate of NATS, and MongoDB takes only its own for a member.
  const ofNats = {
    tlsCAFile: join(out, "nats/ca.pem"),
    tlsCertificateKeyFile: join(out, "nats/server.pem"),
  };
  const stranger = new mongoose.mongo.MongoClient(
    administratorUrl([`localhost:${mongoPort}`], ofNats),
  );
  try {
    await expect(stranger.connect()).rejects.toThrow("Could not find user");
  } finally {
    await stranger.close();
  }

  const [, user, pass, servers] =
    /^(?:tls:\/\/)(.*):(.*)@(.*)$/.exec(read("gateway/NATS_URL")) ?? [];
  const tls = { caFile: join(out, "gateway/ca.pem") };
  const connection = await connect({ servers, user, pass, tls });
  await connection.close();
  await expect(connect({ servers, user, pass: "wrong", tls })).rejects.toThrow("Authorization");
  await expect(connect({ servers, user, pass, tls: {} })).rejects.toThrow("certificate");
});

test.each([
  ["an unknown step", ["keys"], "Name one step, secrets or database; --help explains them."],
  [
    "an address without a port",
    ["secrets", "--mongo", "mongo"],
    "--mongo must be HOST:PORT, or several with commas.",
  ],
  ["two addresses of NATS", ["secrets", "--nats", "a:1,b:2"], "--nats must be HOST:PORT."],
  ["an unknown option", ["secrets", "--force"], "Unknown option '--force'"],
  [
    "users without their secrets",
    ["database"],
    "has no MONGO_URL of a service; run npm run provision -- secrets.",
  ],
])("%s ends with one sentence and writes nothing", async (_case, args, sentence) => {
  const { code, stderr } = await provision(...args);
  expect(code).toBe(1);
  expect(stderr).toContain(sentence);
  expect(stderr.split("\n")).toHaveLength(1);
  expect(existsSync(out)).toBe(false);
});
