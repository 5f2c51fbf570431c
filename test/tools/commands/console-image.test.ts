// The stage of the Dockerfile that builds the console: what it copies is all that the build needs.

import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { readDocument } from "../../support/document.ts";

let app: string;

beforeEach(async () => {
  app = await mkdtemp(join(tmpdir(), "payrail-console-"));
});
afterEach(() => rm(app, { recursive: true }));

test("the console builds in the image from what its stage copies", async () => {
  const [, stage = ""] = /^FROM runtime AS console$(.*?)^FROM /ms.exec(
    readDocument("Dockerfile").page,
  ) as string[];
  for (const [, sources = "", target = ""] of stage.matchAll(/^COPY (.+) (\S+)$/gm)) {
    for (const source of sources.split(" ")) {
      const into = target.endsWith("/") ? join(target, source.split("/").at(-1) as string) : target;
      await cp(source, join(app, into), { recursive: true });
    }
  }
  await symlink(resolve("node_modules"), join(app, "node_modules"));
  const [command = ""] = stage.match(/(?<=^RUN )\[.*\]$/m) as string[];
  const [, ...args] = JSON.parse(command.replaceAll("/app/", `${app}/`)) as string[];
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: app });
  expect(stderr).not.toContain("ERROR");
});
