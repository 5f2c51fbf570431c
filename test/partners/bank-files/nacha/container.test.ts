// Answers in the layouts in which banks send them: the records are laid out in any way, and what
// they say is the same. Foreign batches of any layout refuse nothing.

import { Unreadable } from "../../../../partners/bank-files/format.ts";
import { nachaFormat } from "../../../../partners/bank-files/nacha/format.ts";
import { closedBatch, fileOf, put, returnFile } from "../../../support/bank/nacha.ts";
import { readAnswer } from "../../../support/bank/read-answer.ts";
import { seeded } from "../../../support/traffic.ts";
import { AGREEMENT, idOf, sampleBatch, samplePayment } from "./samples.ts";

const RANDOM_LAYOUTS = 300;

const format = nachaFormat(AGREEMENT);
const payments = [1, 2].map((n) => samplePayment({ id: idOf(n), amountMinor: 100 * n }));
const file = format.write(sampleBatch(payments));
const short = (n: number) => format.shortId(idOf(n));
const answers = [
  { payment: short(1), code: "R03" },
  { payment: short(2), code: "C01", corrected: "000123456789" },
];
const bytes = returnFile(file, answers);
const said = readAnswer(format, bytes);
const records = bytes.toString("latin1").split("\n").slice(0, -1);
const isFiller = (record: string) => /^9+$/.test(record);
const withoutFillers = records.filter((record) => !isFiller(record));

const read = (content: string | Buffer) =>
  readAnswer(format, typeof content === "string" ? Buffer.from(content, "latin1") : content);
const lines = (some: string[], end = "\n") => some.map((record) => record + end).join("");
/** The records, with a text in the free text of the first return. */
const named = (text: string) => {
  const at = records.findIndex((record) => record.startsWith("799"));
  return records.with(at, put(records[at] as string, 36, text));
};

/** A text with a character for each byte of its UTF-8. */
const utf8 = (text: string) => Buffer.from(text).toString("latin1");

test.each<[string, string | Buffer]>([
  ["CRLF", lines(records, "\r\n")],
  ["CR", lines(records, "\r")],
  ["mixed line ends", records.map((record, i) => record + ["\n", "\r\n", "\r"][i % 3]).join("")],
  ["no line ends", records.join("")],
  ["no line ends and no fillers", withoutFillers.join("")],
  ["no line ends and no blanks at the end", withoutFillers.join("").trimEnd()],
  ["no last line end", records.join("\n")],
  ["blank lines", lines(records, "\n\n")],
  ["no fillers", lines(withoutFillers)],
  ["too many fillers", lines([...records, ...Array(7).fill("9".repeat(94))])],
  ["blanks at the ends of records cut", lines(records.map((record) => record.trimEnd()))],
  ["blanks behind the records", lines(records.map((record) => `${record}   \t`))],
  ["a byte order mark", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])],
  ["a Latin-1 character in free text", lines(named("Jos\xe9 M\xfcller"))],
  ["a UTF-8 character in free text", Buffer.from(lines(named("José Müller")), "utf8")],
  ["UTF-8 without line ends", Buffer.from(named("José").join(""), "utf8")],
  ["a UTF-8 character in a record of 94 bytes", lines(named(utf8("José Müller à")))],
  ["UTF-8 in records of 94 bytes without line ends", named(utf8("José à")).join("")],
  ["a Windows-1252 character in free text", lines(named("O\x92Brien"))],
  ["the end-of-file character of old systems", `${lines(records)}\x1a`],
  [
    "a blank company in the controls",
    lines(
      records.map((record) => (record.startsWith("8") ? put(record, 45, " ".repeat(10)) : record)),
    ),
  ],
  ["a blank file header", lines(records.with(0, "1".padEnd(94)))],
  [
    "other sizes in the file header",
    lines(records.with(0, put(records[0] as string, 35, "94 101"))),
  ],
  [
    "lower case",
    lines(
      records.map((record) =>
        record.startsWith("5") ? put(record, 51, record.slice(50, 53).toLowerCase()) : record,
      ),
    ),
  ],
])("an answer with %s says the same", (_, content) => {
  expect(read(content)).toEqual(said);
});

test.each<[string, string]>([
  [
    "blanks cut",
    "101 021000021 12345678902611261504A094101\n9000000000001000000000000000000000000000000000000000000\n",
  ],
  ["no blocks", `${"101".padEnd(94)}\n${`9${"0".repeat(54)}`.padEnd(94)}`],
  ["blanks for zeros", `${(records[0] as string).padEnd(94)}\n${"9".padEnd(55)}x`],
])("a file without entries, with %s, tells nothing", (_, content) => {
  expect(read(content)).toEqual({ parts: [], passedOver: 0 });
});

const cutLine = (at: number, length: number) =>
  lines(records.with(at - 1, (records[at - 1] as string).slice(0, length)));
test.each<[string, string | Buffer, string]>([
  ["a record cut short", cutLine(3, 80), "record 3 has 80 characters, and not 94"],
  ["a control cut short", cutLine(withoutFillers.length, 40), "has 40 characters, and not 94"],
  ["a record too long", lines(records.with(2, `${records[2]}123`)), "record 3 has 97 characters"],
  ["no line ends and a missing byte", records.join("").slice(0, -1 - 94 * 3), "characters"],
  [
    "a byte in an amount",
    lines(records.with(2, put(records[2] as string, 30, "\xe9"))),
    "record 3 has the byte E9 in place 30",
  ],
  [
    "a byte in an id",
    lines(records.with(2, put(records[2] as string, 40, "\xe9"))),
    "record 3 has the byte E9 in place 40",
  ],
  [
    "a record of another type within a line",
    records.map((record, at) => (at === 3 ? `x${record.slice(1)}` : record)).join(""),
    "record 4 does not begin with its type",
  ],
  ["a control character", lines(named("\x1b")), "has the byte 1B in place 36"],
  ["UTF-16", Buffer.from(lines(records), "utf16le"), "zero bytes"],
  ["no records", "", "no control record"],
  ["no control", lines(withoutFillers.slice(0, -1)), "no control record"],
  [
    "a second header",
    lines([...withoutFillers, records[0] as string]),
    " of type 1 is not at its place",
  ],
  ["an XML", "<Document/>".padEnd(94), "record 1 is not a file header"],
])("a file with %s is unreadable, and the error says what and where", (_, content, words) => {
  expect(() => read(content)).toThrow(Unreadable);
  expect(() => read(content)).toThrow(words);
});

/** A batch of one entry as other companies and applications have them. */
function foreignBatch(entryClass: string, changes: { company?: string; id?: string } = {}) {
  const { company = AGREEMENT.companyId, id = "location #23" } = changes;
  const header = put(put(records[1] as string, 51, entryClass), 41, company.padEnd(10));
  const entry = put(put(records[2] as string, 40, id.padEnd(15)), 2, "26");
  return closedBatch(header, [entry, records[3] as string]);
}

const [, ...starts] = withoutFillers.flatMap((record, at) => (record.startsWith("5") ? [at] : []));
const middle = starts[0] as number;
const ours = [records.slice(1, middle), records.slice(middle, withoutFillers.length - 1)];
const advice = (batch: string[]) => {
  // The sums of an advice have 20 digits each.
  const last = batch.at(-1) as string;
  return batch.with(-1, put(last, 21, "0".repeat(40)));
};
test.each<[string, string[]]>([
  ["another company's return", foreignBatch("PPD", { company: "1555555555" })],
  ["a return of the company's own debit", foreignBatch("CCD")],
  ["an international entry", foreignBatch("IAT", { id: "DE893704 004405" })],
  ["an advice of another layout", advice(foreignBatch("ADV"))],
  ["a batch without entries", closedBatch(records[1] as string, [])],
])("%s beside ours is passed over", (_, batch) => {
  for (const batches of [
    [batch, ...ours],
    [...ours, batch],
  ]) {
    const content = fileOf(records[0] as string, batches);
    const { parts, passedOver } = read(content);
    expect(parts.map(({ told }) => told)).toEqual(said.parts.map(({ told }) => told));
    expect(passedOver).toBe(batch.length > 2 ? 1 : 0);
  }
});

const random = seeded();
test("random layouts of a file say the same", () => {
  const ends = ["\n", "\r\n", "\r", "\n\n", ""];
  for (let i = 0; i < RANDOM_LAYOUTS; i++) {
    const fillers = random.below(12);
    const text = random.oneOf(["plain", "Jos\xe9", "\xa9 bank", ""]);
    const end = random.oneOf([...ends, "mixed"]);
    const layout = named(text.padEnd(12))
      .filter((record) => !isFiller(record))
      .concat(Array(fillers).fill("9".repeat(94)))
      .map((record) => {
        if (end === "") return record;
        const padded = random.oneOf([record, record.trimEnd(), `${record} `, `${record}\t  `]);
        return padded + (end === "mixed" ? random.oneOf(ends.slice(0, 3)) : end);
      })
      .join("");
    const encoding = random.oneOf(["latin1", "utf8"] as const);
    const mark = random.oneOf([Buffer.alloc(0), Buffer.from([0xef, 0xbb, 0xbf])]);
    const content = Buffer.concat([
      encoding === "utf8" ? mark : Buffer.alloc(0),
      Buffer.from(layout, encoding),
    ]);
    expect(read(content)).toEqual(said);
  }
});
