// Every example of the guides and of the README runs, in order and in each of its languages, on a
// payrail that npm start started with a port and a DATA_DIR of its own.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GROUPS, SLUGS } from "../../../services/gateway/docs/guides.ts";
import { shellDefinitions } from "../../../tools/platform/shell-definitions.ts";
import { readDocument } from "../../support/document.ts";
import { testUnless, whyMissing } from "../../support/needed-tools.ts";
import { LANGUAGES, type Language, paste } from "../../support/pasted.ts";
import { inSandbox, RUNNING, runScript } from "../../support/scripts.ts";

const TASKS = GROUPS.find(({ title }) => title === "Guides")?.slugs ?? [];

/** The examples of a page in a language, as one program; null if it has none to run. */
function programOf(slug: string, language: Language): string | null {
  const blocks = readDocument(`docs/integrate/${slug}.md`).blocks(language);
  if (language === "sh") return blocks.length > 0 && slug !== "setup" ? blocks.join("\n") : null;
  return TASKS.includes(slug) ? blocks.join("\n") : null;
}

const withPython = testUnless(await whyMissing("python3"), "the examples in Python");

withPython("every example of every guide runs on a fresh system", async () => {
  await inSandbox(async ({ environment, dataDir }) => {
    const start = runScript(process.execPath, ["tools/commands/start.ts"], environment);
    await start.waitForOutput(RUNNING);
    // A machine's own settings can make npm warn at each command.
    const shell = { ...environment, NPM_CONFIG_LOGLEVEL: "error" };
    const ran: string[] = [];
    for (const slug of SLUGS) {
      for (const language of LANGUAGES) {
        const program = programOf(slug, language);
        if (program === null) continue;
        ran.push(`${slug} ${language}`);
        // The examples need what the reader of setup.md exports, an operator's also the key.
        const lines = await paste('eval "$(npm run -s shell)"; env', shell);
        const exported = lines.filter((line) => /^(PAYRAIL_|ADMIN=)/.test(line));
        const variables = Object.fromEntries(exported.map((line) => line.split(/=(.*)/s)));
        await paste(program, { ...shell, ...variables }, language);
        forgetDemo(dataDir);
      }
    }
    const everyTask = TASKS.flatMap((slug) => LANGUAGES.map((language) => `${slug} ${language}`));
    expect(ran).toEqual(expect.arrayContaining(everyTask));
    const [, , tryIt = ""] = readDocument("README.md").blocks("sh");
    await paste(`${tryIt}\nkill $!`, shell);
    start.interrupt();
    await start.exit;
  });
});

test("npm run shell has the functions of docs/integrate/setup.md", () => {
  const [, file] = readDocument("docs/integrate/setup.md").blocks("sh");
  expect(file).toContain(shellDefinitions({}).trim());
});

/** Lets the next program begin with a demo business of its own, as on a fresh system. */
function forgetDemo(dataDir: string): void {
  const file = join(dataDir, "demo.json");
  const { address } = JSON.parse(readFileSync(file, "utf8")) as { address: string };
  writeFileSync(file, JSON.stringify({ address }));
}
