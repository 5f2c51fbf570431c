// npm run provision: the secrets of a new installation, and MongoDB and nats-server as they start
// with them.

import { type ChildProcess, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { connect } from "nats";
import { isGood, makeAuthority, makeCertificate } from "../../scripts/provision/certificates.ts";
import { administratorUrl } from "../../scripts/provision/replica-set.ts";
import { provideBinary } from "../../scripts/support/binaries.ts";
import { freePort } from "../../scripts/support/ports.ts";
import { guard } from "../../scripts/support/processes.ts";
import { SERVICE_NAMES } from "../../shared/service-names.ts";
import { inherited } from "../support/inherited.ts";
import { runNode } from "../support/scripts.ts";
import { binDirectory } from "../support/setup.ts";
import { until } from "../support/system.ts";

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
  const script = runNode("scripts/provision.ts", [...args, "--out", out], inherited());
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

test("each service gets the secrets that it uses, readable by their owner alone", async () => {
  expect(await provision("secrets")).toMatchObject({ code: 0 });
  const contents = Object.fromEntries(
    SERVICE_NAMES.map((name) => [name, readdirSync(join(out, name)).toSorted()]),
  );
  expect(contents).toEqual({
    gateway: ["JWT_PUBLIC_KEY", "NATS_URL", "ca.pem"],
    accounts: [
      ...["ENCRYPTION_KEYS", "FINGERPRINT_KEY", "JWT_PRIVATE_KEY", "JWT_PUBLIC_KEY"],
      ...["MONGO_URL", "NATS_URL", "ca.pem"],
    ],
    "wallet-ledger": ["LEDGER_HEAD_KEY", "MONGO_URL", "NATS_URL", "ca.pem"],
    payouts: ["MONGO_URL", "NATS_URL", "ca.pem"],
    "payment-links": ["ENCRYPTION_KEYS", "FINGERPRINT_KEY", "MONGO_URL", "NATS_URL", "ca.pem"],
    webhooks: ["ENCRYPTION_KEYS", "MONGO_URL", "NATS_URL", "ca.pem"],
  });
  const keys = ["accounts", "payment-links", "webhooks"].map((name) =>
    read(`${name}/ENCRYPTION_KEYS`),
  );
  expect(new Set(keys).size).toBe(keys.length);
  expect(statSync(join(out, "accounts")).mode & 0o007).toBe(0);
  const all = readdirSync(out).flatMap((folder) =>
    readdirSync(join(out, folder)).map((file) => `${folder}/${file}`),
  );
  for (const name of all) {
    // A server runs as another user of the same group.
    const allowed = /^(mongo|nats)\//.test(name) ? 0o440 : 0o400;
    expect([name, statSync(join(out, name)).mode & 0o777]).toEqual([name, allowed]);
  }
  // The authority's key makes administrators of MongoDB.
  const certificates = all.filter((name) => name.endsWith("/ca.pem"));
  expect(certificates.length).toBeGreaterThan(SERVICE_NAMES.length);
  for (const name of certificates) expect(read(name)).not.toContain("PRIVATE KEY");
});

test("a repeated run keeps every secret, makes missing ones and renews certificates", async () => {
  await provision("secrets");
  const [url, certificate] = [read("payouts/MONGO_URL"), read("mongo/server.pem")];
  expect(await provision("secrets")).toEqual({ code: 0, stderr: `${out} has everything` });
  rmSync(join(out, "webhooks/ENCRYPTION_KEYS"));
  const repaired = await provision("secrets", "--nats", "nats.example.com:4222");
  expect(repaired.stderr.split("\n")).toEqual([
    "Wrote nats/server.pem",
    "Wrote webhooks/ENCRYPTION_KEYS",
    `${out} is complete`,
  ]);
  expect([read("payouts/MONGO_URL"), read("mongo/server.pem")]).toEqual([url, certificate]);
  const nats = new X509Certificate(read("nats/server.pem").replace(/^.*?(?=-----BEGIN CERT)/s, ""));
  expect(nats.checkHost("nats.example.com")).toBe("nats.example.com");
  // With zeros at its beginning no program would read the certificate.
  expect(nats.serialNumber).toMatch(/^01/);
});

test("a certificate of another authority or for another host, and one in its last month, is renewed", () => {
  const authority = makeAuthority();
  const made = makeCertificate(authority, { name: "nats", unit: "nats", hosts: ["localhost"] });
  const isGoodAfter = (days: number) => {
    const now = Date.now() + days * 86_400_000;
    jest.spyOn(Date, "now").mockReturnValueOnce(now);
    return isGood(made, authority, ["localhost"]);
  };
  expect([isGoodAfter(0), isGoodAfter(794), isGoodAfter(796)]).toEqual([true, true, false]);
  expect(isGood(made, authority, ["elsewhere"])).toBe(false);
  expect(isGood(made, makeAuthority(), ["localhost"])).toBe(false);
});

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
  ["no step", [], "Name one step, secrets or database; --help explains them."],
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
