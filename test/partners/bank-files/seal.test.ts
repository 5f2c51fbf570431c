// Encryption of account numbers and files: nothing but the keys opens them, and a change is
// noticed.

import { randomBytes } from "node:crypto";
import { createSealer } from "../../../partners/bank-files/seal.ts";

const key = (name: string) => `${name}:${randomBytes(32).toString("base64")}`;
const [old, young] = [key("2025"), key("2026")];
const SECRET = Buffer.from("account 918273646789");

test("what one key seals is opened by it, also after another key has come before it", async () => {
  const sealed = await createSealer(old).seal(SECRET);
  expect(sealed).not.toContain("918273646789");
  expect(await createSealer(`${young}, ${old}`).open(sealed)).toEqual(SECRET);
  const again = await createSealer(`${young},${old}`).seal(SECRET);
  expect(await createSealer(young).open(again)).toEqual(SECRET);
});

test("a missing key is named, and another key of the name opens nothing", async () => {
  const sealed = await createSealer(old).seal(SECRET);
  await expect(createSealer(young).open(sealed)).rejects.toThrow(
    "BANK_FILES_KEYS lacks the key 2025",
  );
  await expect(createSealer(key("2025")).open(sealed)).rejects.toThrow();
});

test("a changed text is refused", async () => {
  const sealer = createSealer(old);
  const sealed = await sealer.seal(SECRET);
  const at = sealed.length - 30;
  const changed = sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1);
  await expect(sealer.open(changed)).rejects.toThrow();
});

test.each(["", "2026", "2026:short", `2026:${randomBytes(16).toString("base64")}`, `a b:${old}`])(
  "keys of the form %p are refused without being shown",
  (keys) => {
    expect(() => createSealer(keys)).toThrow("BANK_FILES_KEYS must be one or more of name:base64");
  },
);
