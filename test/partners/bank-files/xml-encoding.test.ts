// The encodings of banks' XML files, whatever the pieces are in which a file comes.

import { Unreadable } from "../../../partners/bank-files/format.ts";
import { createTreeReader } from "../../../partners/bank-files/iso20022/xml-reader.ts";

/** Latin-1, ISO 8859-15 and Windows-1252 have these letters in the same places. */
const NAME = "Zoë Müller Ñandú";
const xml = (declaration: string, text = NAME) => `${declaration}<Document>${text}</Document>`;
const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>\n`;
const bigEndian = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16();
const euroAt = (byte: number) => Buffer.from([byte]).toString("latin1");

/** The text of the only element of a file. */
function textOf(bytes: Buffer, pieceBytes = bytes.length): string | undefined {
  const reader = createTreeReader(["Document"]);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    reader.write(bytes.subarray(at, at + pieceBytes));
  }
  return reader.end().trees[0]?.root.text;
}

test.each<[string, Buffer, string?]>([
  ["UTF-8 without a declaration", Buffer.from(xml(""))],
  ["UTF-8, declared", Buffer.from(xml(declared("UTF-8")))],
  ["UTF-8, declared without a hyphen", Buffer.from(xml(declared("utf8")))],
  ["UTF-8 with a mark", Buffer.from(`\ufeff${xml(declared("UTF-8"))}`)],
  ["UTF-8 with a long text", Buffer.from(xml("", "é".repeat(1_000))), "é".repeat(1_000)],
  ["ISO-8859-1", Buffer.from(xml(declared("ISO-8859-1")), "latin1")],
  [
    "ISO-8859-1 with other quotes and an attribute",
    Buffer.from(xml("<?xml version='1.0' encoding = 'iso-8859-1' standalone='yes' ?>"), "latin1"),
  ],
  ["ISO-8859-15", Buffer.from(xml(declared("ISO-8859-15"), euroAt(0xa4)), "latin1"), "€"],
  ["windows-1252", Buffer.from(xml(declared("Windows-1252"), euroAt(0x80)), "latin1"), "€"],
  ["US-ASCII", Buffer.from(xml(declared("US-ASCII"), "Zoe")), "Zoe"],
  ["UTF-16, little-endian", Buffer.from(`\ufeff${xml(declared("UTF-16"))}`, "utf16le")],
  ["UTF-16, big-endian", bigEndian(xml(declared("UTF-16")))],
])("%s is read, in pieces of any size", (_name, bytes, text = NAME) => {
  for (const pieceBytes of [1, 2, 3, 7, 255, 256, 257, bytes.length]) {
    expect(textOf(bytes, pieceBytes)).toBe(text);
  }
});

test.each([
  ["UTF-8 with bytes of Latin-1", Buffer.from(xml(declared("UTF-8")), "latin1"), "not in UTF-8"],
  ["no declaration and bytes of Latin-1", Buffer.from(xml(""), "latin1"), "not in UTF-8"],
  ["UTF-8 that ends in a character", Buffer.from(xml("")).subarray(0, 13), "not in UTF-8"],
  ["an encoding that is not read", Buffer.from(xml(declared("EBCDIC-CP-US"))), "EBCDIC-CP-US"],
  ["another Latin alphabet", Buffer.from(xml(declared("ISO-8859-2")), "latin1"), "ISO-8859-2"],
  ["UTF-16 declared, and not written", Buffer.from(xml(declared("utf-16"))), "utf-16"],
  [
    "half a character of UTF-16",
    Buffer.from(`\ufeff${xml("")}`, "utf16le").subarray(0, 31),
    "UTF-16LE",
  ],
])("%s is refused, with the encoding", (_name, bytes, words) => {
  for (const pieceBytes of [1, bytes.length]) {
    expect(() => textOf(bytes, pieceBytes)).toThrow(Unreadable);
    expect(() => textOf(bytes, pieceBytes)).toThrow(words);
  }
});
