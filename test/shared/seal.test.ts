// Encryption at rest, in the form that every service uses.

import { randomBytes } from "node:crypto";
import type { EncryptionKey } from "../../shared/config/env-values.ts";
import { fingerprint, seal, unseal } from "../../shared/security/seal.ts";

const key = (id: string): EncryptionKey => ({ id, key: randomBytes(32) });
const PLACE = "linked-account:1";
const NUMBER = "000123456789";

/** A sealed box with one of its bytes changed. */
function changed(box: string, at: number): string {
  const bytes = Buffer.from(box, "base64");
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes.toString("base64");
}

test("a sealed text of any characters and length opens again", () => {
  const config = { encryptionKeys: [key("a")] };
  for (const text of ["", "1", "Zoë 💶 \u0000", "x".repeat(100_000)]) {
    expect(unseal(config, PLACE, seal(config, PLACE, text))).toBe(text);
  }
});

test("the same text is sealed differently each time, and is not in the stored value", () => {
  const config = { encryptionKeys: [key("a")] };
  const boxes = Array.from({ length: 100 }, () => seal(config, PLACE, NUMBER).box);
  expect(new Set(boxes).size).toBe(100);
  for (const box of boxes) {
    expect(Buffer.from(box, "base64").includes(NUMBER)).toBe(false);
  }
});

test("the first key encrypts, older ones still decrypt", () => {
  const [old, current] = [key("old"), key("current")];
  const before = seal({ encryptionKeys: [old] }, PLACE, NUMBER);
  const rotated = { encryptionKeys: [current, old] };

  expect(unseal(rotated, PLACE, before)).toBe(NUMBER);
  const after = seal(rotated, PLACE, NUMBER);
  expect(after.keyId).toBe("current");
  expect(unseal({ encryptionKeys: [current] }, PLACE, after)).toBe(NUMBER);
});

test("a lost key is an error that names it", () => {
  const sealed = seal({ encryptionKeys: [key("lost")] }, PLACE, NUMBER);
  const open = () => unseal({ encryptionKeys: [key("current")] }, PLACE, sealed);
  expect(open).toThrow(
    expect.objectContaining({ type: "UNREADABLE", message: expect.stringContaining("lost") }),
  );
});

test("another key under the same id opens no box", () => {
  const sealed = seal({ encryptionKeys: [key("a")] }, PLACE, NUMBER);
  const open = () => unseal({ encryptionKeys: [key("a")] }, PLACE, sealed);
  expect(open).toThrow(expect.objectContaining({ type: "UNREADABLE" }));
});

test("a change of any byte, a cut, or another place is refused", () => {
  const config = { encryptionKeys: [key("a")] };
  const { keyId, box } = seal(config, PLACE, NUMBER);
  const refused = expect.objectContaining({ type: "UNREADABLE" });

  const { length } = Buffer.from(box, "base64");
  for (let at = 0; at < length; at++) {
    expect(() => unseal(config, PLACE, { keyId, box: changed(box, at) })).toThrow(refused);
  }
  for (const cut of ["", "AAAA", box.slice(0, -4)]) {
    expect(() => unseal(config, PLACE, { keyId, box: cut })).toThrow(refused);
  }
  expect(() => unseal(config, "linked-account:2", { keyId, box })).toThrow(refused);
});

test("equal values have equal fingerprints, different ones do not, and another key changes both", () => {
  const config = { fingerprintKey: randomBytes(32) };
  const one = fingerprint(config, ["bank", "021000021", NUMBER]);
  expect(fingerprint(config, ["bank", "021000021", NUMBER])).toBe(one);
  expect(one).not.toContain(NUMBER);

  const others = [
    fingerprint(config, ["card", "021000021", NUMBER]),
    fingerprint(config, ["bank", `021000021${NUMBER}`]),
    fingerprint(config, ["bank", "02100002", `1${NUMBER}`]),
    fingerprint({ fingerprintKey: randomBytes(32) }, ["bank", "021000021", NUMBER]),
  ];
  expect(new Set([one, ...others]).size).toBe(5);
});
