// npm run provision: the secrets of a new installation. provision.deep.test.ts starts MongoDB and
// nats-server with them.

import { X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVICE_NAMES } from "../../../shared/rpc/service-names.ts";
import {
  isGood,
  makeAuthority,
  makeCertificate,
} from "../../../tools/commands/provision/certificates.ts";
import { inherited } from "../../support/inherited.ts";
import { runNode } from "../../support/scripts.ts";

let out: string;
beforeEach(() => {
  out = join(mkdtempSync(join(tmpdir(), "payrail-provision-")), "secrets");
});
afterEach(() => rmSync(join(out, ".."), { recursive: true, force: true }));

async function provision(...args: string[]) {
  const script = runNode("tools/commands/provision.ts", [...args, "--out", out], inherited());
  const { code } = await script.exit;
  return { code, stderr: script.stderr().trim() };
}

const read = (name: string) => readFileSync(join(out, name), "utf8");

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

test("no step ends with one sentence and writes nothing", async () => {
  const { code, stderr } = await provision();
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "Name one step, secrets or database; --help explains them.",
  });
  expect(existsSync(out)).toBe(false);
});
