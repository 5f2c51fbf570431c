// The package as it is published: its command, and what the compiler says about an application with
// mistakes.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { compilerErrors, PACKAGE, type Packed, packClient } from "../support/client-package.ts";
import { readDocument } from "../support/document.ts";

const run = promisify(execFile);

let packed: Packed;

beforeAll(async () => {
  packed = await packClient();
});
afterAll(() => packed?.remove());

test("the package has the command payrail, with every command that the README names", async () => {
  const path = await packed.application("command", "");
  const { page } = readDocument(join(PACKAGE, "README.md"));
  const named = [...page.matchAll(/^node_modules\/\.bin\/payrail (\w+)/gm)].map(
    ([, name]) => name as string,
  );
  expect(named.length).toBeGreaterThan(4);
  const command = join(path, "node_modules/.bin/payrail");
  for (const name of named) {
    const { stdout } = await run(command, [name, "--help"]);
    expect(stdout).toMatch(new RegExp(`^payrail ${name} `));
  }
});

test("the compiler finds a misspelt field, a missing one and a wrong value", async () => {
  const path = await packed.application(
    "mistakes",
    `import { Payrail } from "@payrail/client";
const payrail = new Payrail({ baseUrl: "http://127.0.0.1:1", token: "t" });
await payrail.entities.create({ email: "a@example.com", externalIdentifer: "1" });
await payrail.withdrawals.create({ currency: "USD", linkedAccountId: "1", reason: "r" });
await payrail.payments.list({ status: "succeeded" });
const event = payrail.webhooks.verify("", {}, "");
if (event.eventType === "WITHDRAWL") console.log(event);
new Payrail({ baseUrl: "http://127.0.0.1:1" });
`,
  );
  const errors = await compilerErrors(path);
  const lines = [...errors.matchAll(/main\.ts\((\d+),/g)].map(([, line]) => Number(line));
  expect([...new Set(lines)]).toEqual([3, 4, 5, 7, 8]);
});
