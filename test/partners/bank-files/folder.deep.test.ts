// Processes that are killed while they put files into a folder. After each kill the folder has the
// whole file or none, and a repetition of the put ends with the whole file.

import { rm } from "node:fs/promises";
import { testFolder } from "../../support/bank/bank-places.ts";
import { startPutter } from "../../support/bank/putters.ts";
import { seeded } from "../../support/traffic.ts";

const MAX_STEPS = 30;

let there: Awaited<ReturnType<typeof testFolder>>;

beforeEach(async () => {
  there = await testFolder();
});

afterEach(() => there.remove());

const visible = async () => (await there.all()).filter((name) => !name.startsWith("."));

/** Puts in processes that die before each of a put's steps, and returns what each left behind. */
async function dieAtEachStep(name: string, text: string): Promise<(string | undefined)[]> {
  const left: (string | undefined)[] = [];
  for (let dieAt = 1; dieAt <= MAX_STEPS; dieAt++) {
    const putter = await startPutter(there.path, { dieAt });
    const outcome = await putter.put(name, text);
    if (outcome !== null) {
      await putter.kill();
      return left;
    }
    left.push((await there.read(name))?.toString());
    const again = await there.place.put(name, Buffer.from(text));
    expect(again).toBe(left.at(-1) === undefined ? "put" : "exists");
    expect(await visible()).toEqual([name]);
    await rm(`${there.path}/${name}`);
  }
  throw new Error(`a put has more than ${MAX_STEPS} steps`);
}

test("a process killed before any step of a put leaves the whole file or none", async () => {
  const text = "a file of payments".repeat(1_000);
  const left = await dieAtEachStep("a.ach", text);
  // Of the temporary file: open, write, sync, link. Then: open and sync of the folder, unlink.
  expect(left).toEqual([undefined, undefined, undefined, undefined, text, text, text]);
});

test("of processes killed at random moments, each file is whole, once", async () => {
  const random = seeded();
  const text = (number: number) => `${number} `.repeat(100_000);
  for (let round = 0; round < 30; round++) {
    const putter = await startPutter(there.path);
    const name = `${round}.ach`;
    const put = putter.put(name, text(round));
    await new Promise((resolve) => setTimeout(resolve, random.below(20)));
    await putter.kill();
    const outcome = await put;
    const found = await there.read(name);
    if (outcome !== null) expect([outcome, found === null]).toEqual(["put", false]);
    if (found) expect(found.toString() === text(round)).toBe(true);
    const again = await there.place.put(name, Buffer.from(text(round)));
    expect(again).toBe(found ? "exists" : "put");
    expect((await there.read(name))?.toString() === text(round)).toBe(true);
  }
  expect(await visible()).toHaveLength(30);
});
