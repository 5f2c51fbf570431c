// Every example of the guides and of the README pastes and runs, in order, on a payrail that npm
// start started with a port and a DATA_DIR of its own.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SLUGS } from "../../../services/gateway/docs/guides.ts";
import { readDocument } from "../../support/document.ts";
import { paste } from "../../support/pasted.ts";
import { inSandbox, RUNNING, runScript } from "../../support/scripts.ts";

const guides = SLUGS.map((slug) => `docs/integrate/${slug}.md`);

test("every example of every guide runs on a fresh system", async () => {
  await inSandbox(async ({ environment, dataDir }) => {
    const start = runScript(process.execPath, ["tools/commands/start.ts"], environment);
    await start.waitForOutput(RUNNING);
    // A machine's own settings can make npm warn at each command.
    const shell = { ...environment, NPM_CONFIG_LOGLEVEL: "error" };
    const ran: string[] = [];
    for (const page of guides) {
      const examples = readDocument(page).blocks("sh");
      if (examples.length === 0) continue;
      ran.push(page);
      expect(examples[0]).toMatch(/^eval "\$\(npm run -s shell( -- --new)?\)"\n/);
      await paste(examples.join("\n"), shell);
      forgetDemo(dataDir);
    }
    expect(ran.length).toBeGreaterThanOrEqual(7);
    const [, , tryIt = ""] = readDocument("README.md").blocks("sh");
    await paste(`${tryIt}\nkill $!`, shell);
    start.interrupt();
    await start.exit;
  });
});

/** Lets the next page begin with a demo business of its own, as on a fresh system. */
function forgetDemo(dataDir: string): void {
  const file = join(dataDir, "demo.json");
  const { address } = JSON.parse(readFileSync(file, "utf8")) as { address: string };
  writeFileSync(file, JSON.stringify({ address }));
}
