// npm run dev on a copy of the code: a change starts the services again beside the REPL.

import { appendFileSync, cpSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { processesOf, RUNNING, runNode, type Sandbox, sandbox } from "../../support/scripts.ts";
import { until } from "../../support/system.ts";

const CODE = [
  "clients/typescript/src",
  "clients/console/index.html",
  "clients/console/src",
  "clients/console/tsconfig.json",
  "docs",
  "package.json",
  "partners",
  "services",
  "shared",
  "tools/commands",
  "tools/migrate",
  "tools/platform",
  "tools/verify",
  "tsconfig.json",
];

let place: Sandbox;
beforeEach(async () => {
  place = await sandbox();
});
afterEach(() => place.clean());

test("a change of the code starts the services again, and the REPL's exit ends everything", async () => {
  const copy = join(place.dataDir, "code");
  for (const name of CODE) cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));

  const dev = runNode(join(copy, "tools", "commands", "dev.ts"), [], place.environment);
  await dev.waitForOutput("mol $");
  await dev.waitForOutput(RUNNING);

  appendFileSync(join(copy, "services", "payouts", "limits.ts"), "// changed\n");
  await until(() => dev.stdout().split(RUNNING).length === 3, { awaited: "another start" });
  dev.type("call payouts.ready");
  await dev.waitForOutput(">> Response:\n{}");

  appendFileSync(
    join(copy, "clients", "console", "src", "console.css"),
    ".changed { color: red; }\n",
  );
  await until(
    async () => {
      const response = await fetch(`http://127.0.0.1:${place.port}/console/console.css`);
      return (await response.text()).includes(".changed");
    },
    { awaited: "the changed style sheet" },
  );

  dev.type("exit");
  expect(await dev.exit).toEqual({ code: 0, signal: null });
  await until(() => processesOf(place.dataDir).length === 0, {
    awaited: "the end of all processes",
  });
});
