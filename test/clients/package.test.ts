// The package as it is published, used as its README says, and checked by the strictest settings of
// the compiler. package.deep.test.ts has its command and mistakes of an application.

import { join } from "node:path";
import { freePort } from "../../tools/platform/ports.ts";
import { compilerErrors, PACKAGE, type Packed, packClient } from "../support/client-package.ts";
import { readDocument } from "../support/document.ts";
import { inherited } from "../support/inherited.ts";
import { runNode } from "../support/scripts.ts";
import { until } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let packed: Packed;

beforeAll(async () => {
  packed = await packClient();
  world = await startWorld();
});
afterAll(async () => {
  await world?.stop();
  packed?.remove();
});

test("the blocks of the README compile and run in order, and print what they say", async () => {
  const receiver = await freePort();
  const blocks = readDocument(join(PACKAGE, "README.md")).blocks("ts");
  const source = blocks.join("\n").replaceAll("4000", String(receiver));
  const path = await packed.application("readme", source);
  expect(await compilerErrors(path)).toBe("");

  const business = await world.business();
  const script = runNode(join(path, "main.ts"), [], {
    ...inherited(),
    PAYRAIL_URL: world.http.url,
    PAYRAIL_CLIENT_ID: business.clientId,
    PAYRAIL_CLIENT_SECRET: business.clientSecret,
  });
  let ended = false;
  void script.exit.then(() => {
    ended = true;
  });
  await until(() => ended || / SUCCESS $/m.test(script.stdout()), { awaited: "the last event" });
  expect(script.stderr()).toBe("");
  script.interrupt();
  await script.exit;
  const said = [...source.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text]) => text);
  expect(said.length).toBeGreaterThan(4);
  const lines = script.stdout().split("\n");
  expect(lines.filter((line) => said.includes(line))).toEqual(said);
  await world.verifyBooks();
});
