// A corpus of banks' answers, one file for each layout and dialect, and what each says. The files
// are written from the standards, with invented data; test/partners/bank-files/corpus/README.md
// lists them. Random variants of the containers of ISO 20022 are read back to the same.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnswerFile, Part, Told } from "../../../partners/bank-files/format.ts";
import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { nachaFormat } from "../../../partners/bank-files/nacha/format.ts";
import { readAnswer } from "../../support/bank/read-answer.ts";
import { ORIGINATOR } from "../../support/bank/wires.ts";
import { seeded } from "../../support/traffic.ts";
import { AGREEMENT } from "./nacha/samples.ts";

const VARIANTS_EACH = 60;

const FOLDER = join(import.meta.dirname, "corpus");
const iso = iso20022Format(ORIGINATOR);
const ach = nachaFormat(AGREEMENT);
const A = "01932f5e-7c1a-7b3d-8e4f-5a6b7c8d9e0f";
const B = "01932f5e-7c1a-7b3d-8e4f-5a6b7c8d9e10";
const FILE = "PAYOUT-261126-000012";

const names = new Map(
  [A, B].flatMap((id, i) => {
    const name = "AB"[i] as string;
    return [id, ach.shortId(id)].map((each) => [each, name] as const);
  }),
);

/** An answer in a few words: what it says about whom. */
function inWords({ parts, passedOver }: AnswerFile): string[] {
  return [...parts.flatMap(partInWords), `${passedOver} passed over`];
}

function partInWords({ batch, whole, told, booked = [], fault }: Part): string[] {
  return [
    ...(batch === undefined || !whole
      ? []
      : [`${batch} ${whole.state}${whole.code ? ` ${whole.code}` : ""}`]),
    ...told.map(toldInWords),
    ...booked.map(
      (each) =>
        `${each.batch} booked ${each.amountMinor}${each.reference ? ` ${each.reference}` : ""}`,
    ),
    ...(fault ? [`fault: ${fault}`] : []),
  ];
}

function toldInWords({ payment, state, code, amountMinor, reference, fault }: Told): string {
  const words = [names.get(payment) ?? payment, state, code, amountMinor, reference, fault];
  return words.filter((word) => word !== undefined).join(" ");
}

const RETURNED = "A returned account_not_found 10000 091000010000001";
const EXPECTED: Record<string, string[]> = {
  "camt.054.001.02-one-entry-many-details.xml": [
    "A settled 10000 DE-4711",
    "B settled 5000 DE-4711",
    "0 passed over",
  ],
  "camt.054.001.04-batch-in-one-detail.xml": [`${FILE} booked 15000 EB-000881`, "0 passed over"],
  "camt.054.001.08-charges-and-foreign-entries.xml": [
    "A settled 10000 BANK-0001",
    "B noted",
    "2 passed over",
  ],
  "camt.054.001.12-returns-in-envelope.xml": [
    "A returned account_not_found 8500 RTN-5",
    "0 passed over",
  ],
  "camt.054.001.14-exchange-and-pending.xml": ["A settled 10000", "1 passed over"],
  "pain.002-without-namespace-nor-message-name.xml": [`${FILE} unclear`, "0 passed over"],
  "pain.002.001.02-refused-file.xml": ["A rejected account_closed", "B unclear", "0 passed over"],
  "pain.002.001.03-blocks-of-one-file.xml": ["A rejected compliance", "B unclear", "0 passed over"],
  "pain.002.001.03.ch.02-accepted.xml": [`${FILE} accepted`, "0 passed over"],
  "pain.002.001.10-other-senders-file.xml": ["PAYROLL-NOVEMBER settled", "0 passed over"],
  "pain.002.001.12-in-envelope.xml": ["A settled 10000", "B unclear", "0 passed over"],
  "dishonored-return.ach": [
    "A unclear record 3 has no code of a return (R01 to R47, R50 to R53, or R80 to R85)",
    "B noted",
    "0 passed over",
  ],
  "returns-blanks-cut-utf-8.ach": [RETURNED, "B noted", "0 passed over"],
  "returns-crlf-latin-1.ach": [RETURNED, "B noted", "0 passed over"],
  "returns-of-a-whole-customer.ach": [RETURNED, "B noted", "4 passed over"],
  "returns-without-line-ends.ach": [RETURNED, "B noted", "0 passed over"],
  "zero-file.ach": ["0 passed over"],
};

const readFile = (name: string) => readFileSync(join(FOLDER, name));
const readText = (content: Buffer | string) => readAnswer(iso, Buffer.from(content));

test("every file of the corpus has an expectation", () => {
  const files = readdirSync(FOLDER).filter((name) => name !== "README.md");
  expect(files.toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
});

test.each(Object.entries(EXPECTED))("%s says %j", (name, expected) => {
  const format = name.endsWith(".ach") ? ach : iso;
  expect(inWords(readAnswer(format, readFile(name)))).toEqual(expected);
});

const reports = Object.keys(EXPECTED).filter((name) => name.endsWith(".xml"));
const bare = (name: string) =>
  readFile(name)
    .toString()
    .replace(/^\ufeff?(<\?xml.*?\?>)?\s*(<!--.*?-->)?/s, "");

const versions = (message: string, first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => {
    return `${message}.001.${String(first + i).padStart(2, "0")}`;
  });
test.each([
  ["pain.002.001.03-blocks-of-one-file.xml", "pain.002.001.03", versions("pain.002", 2, 15)],
  [
    "camt.054.001.08-charges-and-foreign-entries.xml",
    "camt.054.001.08",
    versions("camt.054", 2, 14),
  ],
])(
  "%s says the same in every version, with a national variant and without a namespace",
  (name, version, all) => {
    const text = bare(name);
    const namespaces = [
      ...all.map((each) => `urn:iso:std:iso:20022:tech:xsd:${each}`),
      ...all.map((each) => `http://www.six-interbank-clearing.com/de/${each}.ch.03.xsd`),
      `urn:swift:xsd:${version}`,
      `urn:iso:std:iso:20022:tech:xsd:${version}.ch.02`,
      "urn:example:bank",
      "",
    ];
    for (const namespace of namespaces) {
      const changed = text.replace(/xmlns="[^"]*"/, `xmlns="${namespace}"`);
      expect([namespace, inWords(readText(changed))]).toEqual([namespace, EXPECTED[name]]);
    }
  },
);

const random = seeded();
const ENVELOPES = [
  ["", ""],
  ["<Envelope>", "</Envelope>"],
  ['<x:Env xmlns:x="urn:x"><x:Hdr><x:MsgId>1</x:MsgId></x:Hdr><x:Body>', "</x:Body></x:Env>"],
  ['<BizMsgEnvlp xmlns="urn:b"><AppHdr xmlns="urn:h"><Fr/></AppHdr>', "</BizMsgEnvlp>"],
] as const;
const DECLARATIONS = [
  ...["", '<?xml version="1.0"?>', "<?xml version='1.0' encoding='utf-8'?>"],
  '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- a bank -->',
];

/** The same message in another container and another writing of XML. */
function variant(name: string): string {
  const [open, close] = random.oneOf([...ENVELOPES]);
  const text = random
    .oneOf([withPrefix, unchanged])(bare(name))
    .replace(/>([\w.+-]+)</g, (_, content: string) => `>${written(content)}<`)
    .replace(/>(\s*)</g, () => `>${random.oneOf(["", "\n", "\n\t ", "<!-- x -->", "<?bank?>"])}<`);
  const lineEnd = random.oneOf(["\n", "\r\n", "\r"]);
  const whole = `${random.oneOf(DECLARATIONS)}${open}${text}${close}${random.oneOf(["", "\n\n"])}`;
  return random.oneOf(["", "\ufeff"]) + whole.replaceAll("\n", lineEnd);
}

const unchanged = (text: string) => text;

/** With a prefix for its namespace, unless it has several. */
function withPrefix(text: string): string {
  if (text.split("xmlns").length !== 2) return text;
  return text.replace(/<(\/?)(?=[A-Za-z])/g, "<$1b:").replace("xmlns=", "xmlns:b=");
}

function written(content: string): string {
  const references = () => content.replace(/[\w]/g, (each) => `&#${each.charCodeAt(0)};`);
  return random.oneOf([
    () => content,
    () => `\n  ${content} `,
    () => `<![CDATA[${content}]]>`,
    references,
  ])();
}

test.each(reports)("random variants of %s say the same", (name) => {
  for (let i = 0; i < VARIANTS_EACH; i++) {
    const text = variant(name);
    expect({ text, words: inWords(readText(text)) }).toEqual({ text, words: EXPECTED[name] });
  }
});
