// Places at OpenSSH's own sftp-server, which most banks run, behind an SSH server of the test.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderAs, openAtBank, type TestPlace } from "../../support/bank/bank-places.ts";
import { testPlace } from "../../support/bank/place-suite.ts";
import { startSshServer } from "../../support/bank/ssh-server.ts";
import { testUnless } from "../../support/needed-tools.ts";

/** Where the packages of Linux distributions install it. */
const PROGRAM = [
  "/usr/lib/openssh/sftp-server",
  "/usr/lib/ssh/sftp-server",
  "/usr/libexec/openssh/sftp-server",
  "/usr/libexec/sftp-server",
].find((path) => existsSync(path));

async function openSshFolder(): Promise<TestPlace & { open: () => ReturnType<typeof openAtBank> }> {
  const path = await mkdtemp(join(tmpdir(), "payrail-openssh-"));
  const ssh = await startSshServer((session) => {
    session.on("subsystem", (accept) => {
      const channel = accept();
      const program = spawn(PROGRAM as string, ["-e"], { stdio: ["pipe", "pipe", "inherit"] });
      channel.pipe(program.stdin);
      program.stdout.pipe(channel);
      channel.on("close", () => program.kill());
    });
  });
  const open = () => openAtBank(ssh, {}, path);
  const there = folderAs(await open(), path);
  return {
    ...there,
    open,
    async remove() {
      await there.remove();
      await ssh.stop();
    },
  };
}

if (PROGRAM) describe("OpenSSH's sftp-server", () => testPlace(openSshFolder));

const needsProgram = testUnless(
  PROGRAM ? null : "OpenSSH's sftp-server is not installed",
  "places at OpenSSH's sftp-server",
);

needsProgram("of two connections that put other bytes under one name, one puts", async () => {
  const there = await openSshFolder();
  const second = await there.open();
  try {
    for (let round = 0; round < 200; round++) {
      const name = `${round}.ach`;
      const texts = ["one", "two"];
      const puts = [there.place, second].map((place, i) =>
        place.put(name, Buffer.from(texts[i] as string)).then(
          () => "put",
          (error) => error.kind,
        ),
      );
      const outcomes = await Promise.all(puts);
      expect(new Set(outcomes)).toEqual(new Set(["put", "taken"]));
      expect((await there.read(name))?.toString()).toBe(texts[outcomes.indexOf("put")]);
    }
  } finally {
    await second.close();
    await there.remove();
  }
});
