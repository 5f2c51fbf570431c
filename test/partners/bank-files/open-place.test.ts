// The settings of places: what is wrong with them is found when the service starts, and no error
// shows a secret.

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openPlace } from "../../../partners/bank-files/places/open.ts";

const URL = "sftp://payrail@bank.example:2222/in";
const ACCESS = { hostKey: `SHA256:${"A".repeat(43)}`, passwordVariable: "BANK_PASSWORD" };
const ENVIRONMENT = { BANK_PASSWORD: "correct horse", EMPTY: "" };

test.each([
  [URL, ACCESS],
  ["sftp://pay%40rail@[::1]/a%20folder", { ...ACCESS, hostKey: [ACCESS.hostKey] }],
  [URL, { ...ACCESS, connectWithinMs: 1, operationWithinMs: 600_000 }],
  ["file:///var/lib/payrail/out", undefined],
  ["file:///var/lib/payrail/out", { operationWithinMs: 5_000 }],
])("%s with %j opens, whether or not anything is there", async (url, access) => {
  const place = await openPlace(url, access, ENVIRONMENT);
  await place.close();
});

test.each<[string, unknown, string]>([
  ["/var/lib/payrail/out", {}, "neither file:///... nor sftp://user@host/..."],
  ["https://bank.example/in", {}, "neither file:///... nor sftp://user@host/..."],
  ["file://server/in", {}, "more than a path"],
  ["file:///in?x", {}, "more than a path"],
  ["file:///in", { hostKey: ACCESS.hostKey }, "no setting hostKey"],
  ["file:///in", null, "no JSON object"],
  ["file:///in", { operationWithinMs: 0 }, "operationWithinMs is no whole number"],
  ["sftp://bank.example/in", ACCESS, "not of the form sftp://user@host:port/path"],
  ["sftp://payrail@bank.example", ACCESS, "not of the form sftp://user@host:port/path"],
  ["sftp://payrail:secret@bank.example/in", ACCESS, "has a password; use passwordVariable"],
  ["sftp://payrail@bank.example/100%", ACCESS, "a % without a hexadecimal number"],
  [URL, { ...ACCESS, hostkey: "x" }, "no setting hostkey"],
  [URL, { ...ACCESS, hostKey: undefined }, "hostKey is no fingerprint"],
  [URL, { ...ACCESS, hostKey: [] }, "hostKey is no fingerprint"],
  [URL, { ...ACCESS, hostKey: "MD5:00:11:22" }, "hostKey is no fingerprint"],
  [URL, { ...ACCESS, hostKey: `${ACCESS.hostKey}=` }, "hostKey is no fingerprint"],
  [URL, { hostKey: ACCESS.hostKey }, "needs privateKeyFile, passwordVariable, or both"],
  [URL, { ...ACCESS, passwordVariable: "MISSING" }, "variable MISSING of passwordVariable"],
  [URL, { ...ACCESS, passwordVariable: "EMPTY" }, "variable EMPTY of passwordVariable"],
  [URL, { ...ACCESS, passwordVariable: 7 }, "passwordVariable is no text"],
  [URL, { ...ACCESS, privateKeyFile: "" }, "privateKeyFile is no text"],
  [URL, { ...ACCESS, privateKeyFile: "/nowhere/key" }, "no such file"],
  [URL, { ...ACCESS, connectWithinMs: "1s" }, "connectWithinMs is no whole number"],
  [URL, { ...ACCESS, operationWithinMs: 600_001 }, "operationWithinMs is no whole number"],
])("%s with %j is refused: %s", async (url, access, message) => {
  const error = await openPlace(url, access, ENVIRONMENT).catch((reason) => reason);
  expect(error.message).toContain(message);
  expect(error.message).not.toMatch(/secret|correct horse/);
});

test("an SFTP place without the package ssh2 is refused, a folder is not", async () => {
  const folder = await mkdtemp(join(tmpdir(), "payrail-open-"));
  const program = join(folder, "program.mjs");
  const module = new globalThis.URL("../../../partners/bank-files/places/open.ts", import.meta.url);
  const source = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === "ssh2") throw new Error("Cannot find package");
        return next(specifier, context);
      },
    });
    const { openPlace } = await import(${JSON.stringify(module.href)});
    await openPlace(${JSON.stringify(pathToFileURL(folder).href)});
    const url = ${JSON.stringify(URL)};
    await openPlace(url, ${JSON.stringify(ACCESS)}, { BANK_PASSWORD: "x" }).catch((error) => {
      console.log(error.message);
    });
  `;
  try {
    await writeFile(program, source);
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    expect(stdout.trim()).toBe("an SFTP place needs the optional package ssh2: npm install");
  } finally {
    await rm(folder, { recursive: true });
  }
});
