// The tests that all places pass: what a put, the names and a get promise.

import { randomBytes } from "node:crypto";
import { DAY_MS } from "../calendar.ts";
import { expectFailure, type TestPlace } from "./bank-places.ts";

const MB = 2 ** 20;

/** @param open makes a new, empty folder */
export function testPlace(open: () => Promise<TestPlace>): void {
  let there: TestPlace;

  beforeEach(async () => {
    there = await open();
  });

  afterEach(() => there.remove());

  test.each([0, 1, 40_000, 3 * MB])("gives back a file of %i bytes that was put", async (size) => {
    const bytes = randomBytes(size);
    expect(await there.place.put("a.ach", bytes)).toBe("put");
    expect((await there.read("a.ach"))?.equals(bytes)).toBe(true);
    expect((await there.place.get("a.ach"))?.equals(bytes)).toBe(true);
    // No temporary file stays.
    expect(await there.all()).toEqual(["a.ach"]);
  });

  test("puts the same bytes under the same name once", async () => {
    expect(await there.place.put("a.ach", Buffer.from("one"))).toBe("put");
    expect(await there.place.put("a.ach", Buffer.from("one"))).toBe("exists");
    expect(await there.all()).toEqual(["a.ach"]);
  });

  test.each(["two", "other length", ""])("keeps a file whose name %j comes for", async (other) => {
    await there.write("a.ach", "one");
    const put = there.place.put("a.ach", Buffer.from(other));
    await expectFailure(put, "taken", /^put of a\.ach .*: another file has the name$/);
    expect((await there.read("a.ach"))?.toString()).toBe("one");
    expect(await there.all()).toEqual(["a.ach"]);
  });

  test.each(["", ".", "..", "../a", "a/b", "a b", "a\0", ".a", "a.tmp", "a.PART", "a".repeat(101)])(
    "puts no file under the name %j",
    async (name) => {
      await expectFailure(there.place.put(name, Buffer.from("x")), "failed", "the name is none");
      expect(await there.all()).toEqual([]);
    },
  );

  test.each(["", ".", "..", "../a", "a/b", "a\nb", ".hidden", "a.filepart", "é", "a".repeat(201)])(
    "gets no file of the name %j",
    async (name) => {
      await expectFailure(there.place.get(name), "failed", "the name is none of a whole file");
    },
  );

  test("names whole files in order, and neither hidden nor temporary ones", async () => {
    const whole = ["2.txt", "10.txt", "Answer of 3 May (2).xml", "B", "a", "tmp", "part.a"];
    const others = [".c", "d.tmp", "e.part", "f.filepart", "g.PARTIAL", "é", "h\ti"];
    for (const name of [...whole, ...others]) await there.write(name, "x");
    expect(await there.place.names()).toEqual(whole.sort());
    expect((await there.place.get("Answer of 3 May (2).xml"))?.toString()).toBe("x");
  });

  test("names 1,000 files at most, and the next ones after the last", async () => {
    const names = Array.from({ length: 2_150 }, (_, i) => `${10_000 + i}.txt`);
    for (const name of names) await there.write(name, "");
    const first = await there.place.names();
    const second = await there.place.names(first.at(-1));
    const third = await there.place.names(second.at(-1));
    expect([first.length, second.length, third.length]).toEqual([1_000, 1_000, 150]);
    expect([...first, ...second, ...third]).toEqual(names);
  });

  test("gets null for a file that is not there", async () => {
    expect(await there.place.get("gone.txt")).toBeNull();
  });

  test("gets a file of 32 MB and none above", async () => {
    await there.write("large.txt", Buffer.alloc(32 * MB));
    expect(await there.place.get("large.txt")).toHaveLength(32 * MB);
    await there.write("larger.txt", Buffer.alloc(32 * MB + 1));
    await expectFailure(there.place.get("larger.txt"), "failed", "larger than 33554432 bytes");
  });

  test("removes temporary files that a put left over, no sooner than after a day", async () => {
    const temporary = (digit: string) =>
      `.payrail-${digit.repeat(8)}-0000-4000-8000-${"0".repeat(12)}.tmp`;
    await there.write(temporary("a"), "x", Date.now() - 2 * DAY_MS);
    await there.write(temporary("b"), "x", Date.now() - DAY_MS / 2);
    await there.write(".payrail-other.tmp", "x", Date.now() - 2 * DAY_MS);
    await there.place.put("a.ach", Buffer.from("one"));
    const left = [".payrail-other.tmp", temporary("b"), "a.ach"];
    expect((await there.all()).sort()).toEqual(left.sort());
  });

  test("fails after its close", async () => {
    await there.place.close();
    await expectFailure(there.place.names(), "failed", "the place is closed");
    await expectFailure(there.place.put("a", Buffer.from("x")), "failed", "the place is closed");
    expect(await there.all()).toEqual([]);
  });
}
