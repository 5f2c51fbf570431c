// Folders of this machine as places: processes that put at the same time, file systems that refuse,
// and entries of a folder that are no files.

import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openPlace } from "../../../partners/bank-files/places/open.ts";
import { expectFailure, testFolder } from "../../support/bank/bank-places.ts";
import { startPutter } from "../../support/bank/putters.ts";
import { until } from "../../support/system.ts";

let there: Awaited<ReturnType<typeof testFolder>>;

beforeEach(async () => {
  there = await testFolder();
});

afterEach(() => there.remove());

test("of two processes that put the same file, one puts it, and the other finds it", async () => {
  const putters = await Promise.all([startPutter(there.path), startPutter(there.path)]);
  try {
    for (let round = 0; round < 50; round++) {
      const puts = putters.map((putter) => putter.put(`${round}.ach`, `file ${round}`));
      expect(new Set(await Promise.all(puts))).toEqual(new Set(["exists", "put"]));
      expect((await there.read(`${round}.ach`))?.toString()).toBe(`file ${round}`);
    }
    expect(await there.all()).toHaveLength(50);
  } finally {
    await Promise.all(putters.map((putter) => putter.kill()));
  }
});

test("of two processes that put other bytes under one name, one puts, and the other is told", async () => {
  const putters = await Promise.all([startPutter(there.path), startPutter(there.path)]);
  try {
    for (let round = 0; round < 50; round++) {
      const texts = ["one", "other"];
      const outcomes = await Promise.all(
        putters.map((putter, i) => putter.put(`${round}.ach`, texts[i] as string)),
      );
      const winner = outcomes.indexOf("put");
      expect(outcomes[1 - winner]).toMatch(/^taken: put of .* another file has the name$/);
      expect((await there.read(`${round}.ach`))?.toString()).toBe(texts[winner]);
    }
    expect(await there.all()).toHaveLength(50);
  } finally {
    await Promise.all(putters.map((putter) => putter.kill()));
  }
});

// The limit on a file's size stops a write in the middle, as a full disk does.
test("a file that the disk cannot hold leaves nothing", async () => {
  const putter = await startPutter(there.path, { maxFileKb: 4 });
  try {
    const outcome = await putter.put("a.ach", "x".repeat(100_000));
    expect(outcome).toMatch(/^failed: put of a\.ach in the folder .*: EFBIG: file too large/);
    expect(await there.all()).toEqual([]);
    expect(await putter.put("a.ach", "small")).toBe("put");
  } finally {
    await putter.kill();
  }
});

test("a folder that is missing fails each operation until it is there", async () => {
  const path = join(there.path, "later");
  const place = await openPlace(pathToFileURL(path).href);
  const message = new RegExp(`in the folder ${path}: ENOENT`);
  await expectFailure(place.put("a.ach", Buffer.from("x")), "failed", message);
  await expectFailure(place.names(), "failed", message);
  await mkdir(path);
  expect(await place.put("a.ach", Buffer.from("x"))).toBe("put");
});

test("a folder in which payrail may not write fails a put, and changes nothing", async () => {
  const userId = process.geteuid?.();
  await there.write("a.txt", "x");
  await chmod(there.path, 0o555);
  // The superuser may write everywhere.
  if (userId === 0) process.seteuid?.(65_534);
  try {
    const put = there.place.put("a.ach", Buffer.from("x"));
    await expectFailure(put, "failed", "EACCES: permission denied");
    expect(await there.place.names()).toEqual(["a.txt"]);
  } finally {
    if (userId === 0) process.seteuid?.(0);
    await chmod(there.path, 0o755);
  }
});

test("folders, links and pipes are no files", async () => {
  await there.write("a.txt", "x");
  await mkdir(join(there.path, "folder"));
  await symlink(join(there.path, "a.txt"), join(there.path, "link"));
  await promisify(execFile)("mkfifo", [join(there.path, "pipe")]);
  expect(await there.place.names()).toEqual(["a.txt"]);
  for (const name of ["folder", "link", "pipe"]) {
    await expectFailure(there.place.get(name), "failed", /it is no file|ELOOP/);
    await expectFailure(there.place.put(name, Buffer.from("x")), "taken", "another file");
  }
});

test("a file is readable for the group, and for no others", async () => {
  await there.place.put("a.ach", Buffer.from("x"));
  expect((await stat(join(there.path, "a.ach"))).mode & 0o777).toBe(0o640 & ~process.umask());
});

test("a put that takes too long fails, and leaves nothing", async () => {
  const place = await openPlace(pathToFileURL(there.path).href, { operationWithinMs: 1 });
  const bytes = Buffer.alloc(64 * 2 ** 20);
  await expectFailure(place.put("a.ach", bytes), "failed", "it took longer than 1 ms");
  await until(async () => (await readdir(there.path)).length === 0);
});

test("a place of a folder with a space and an accent in its path works", async () => {
  const path = join(there.path, "für die bank");
  await mkdir(path);
  const place = await openPlace(pathToFileURL(path).href);
  expect(await place.put("a.ach", Buffer.from("x"))).toBe("put");
  expect(await place.names()).toEqual(["a.ach"]);
  await rm(path, { recursive: true });
  await writeFile(path, "a file in its place");
  await expectFailure(place.names(), "failed", "ENOTDIR");
});
