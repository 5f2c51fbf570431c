// Names and addresses in files: any script in Latin letters without holes and stray marks, and
// values that stand for nothing.

import type { FilePayment } from "../../../partners/bank-files/format.ts";
import { findFault } from "../../../partners/bank-files/iso20022/faults.ts";
import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { latin } from "../../../partners/bank-files/latin.ts";
import {
  findFault as findAchFault,
  recipientName,
} from "../../../partners/bank-files/nacha/payment.ts";
import { batchOf, internationalPayment, ORIGINATOR, usPayment } from "../../support/bank/wires.ts";
import { samplePayment } from "./nacha/samples.ts";

const format = iso20022Format(ORIGINATOR);

test.each([
  ["محمد العربي", "mhmd alarby"],
  ["عبد الرحمن الشريف", "abd alrhmn alshryf"],
  ["أحمد مؤمن", "ahmd mumn"],
  ["سارة عيسى", "sarh aysa"],
  ["ـمحـمدـ", "mhmd"],
  ["مُحَمَّد", "muhamad"],
  ["عبد\u200cالله", "abdallh"],
  ["אברהם לוי", "avrhm lvy"],
  ["יעקב בן־דוד", "yakv vn-dvd"],
  ["ז׳בוטינסקי", "zvvtynsky"],
  ["Иван Соловьёв", "Ivan Solovev"],
  ["Объедков", "Obedkov"],
  ["Юлія Їжак", "Yuliya Izhak"],
  ["Μαρία Ψάλτη", "Maria Psalti"],
  ["王小明", "WangXiaoMing"],
  ["佐々木 太郎", "ZuoZuoMu TaiLang"],
  ["김민준", "GimMinJun"],
  ["Nguyễn Thị Ánh", "Nguyen Thi Anh"],
  ["José Weiß", "Jose Weiss"],
  ["Łukasz Żółć", "Lukasz Zolc"],
  ["O’Brien", "O'Brien"],
  ["Kaʻahumanu", "Kaahumanu"],
  ["ＡＢＣ Ⅷ ½", "ABC VIII 1/2"],
  ["😀 Ada 👩‍👩‍👧 🇩🇪", "  Ada      "],
  ["\u202eAda\u00ad", "Ada"],
])("%s is %j in Latin letters", (text, expected) => {
  expect(latin(text).replace(/ +/g, " ").trim()).toBe(expected.replace(/ +/g, " ").trim());
});

const ALL = Array.from({ length: 0xd7a4 - 0x370 }, (_, i) => String.fromCodePoint(0x370 + i));
/** The letters of scripts in which people write names. */
const SCRIPTS = {
  Arabic: /[\u0621-\u063a\u0641-\u064a]/u,
  Hebrew: /[\u05d0-\u05ea]/u,
  Cyrillic: /[\u0400-\u042b\u042d-\u0449\u044b\u044d-\u0481]/u,
  Greek: /[\u0391-\u03a1\u03a3-\u03c9]/u,
  Chinese: /[\u4e00-\u9fa5]/u,
  Korean: /[\uac00-\ud7a3]/u,
  Japanese: /[\u3041-\u3096\u30a1-\u30fa]/u,
  Armenian: /[\u0531-\u0556\u0561-\u0586]/u,
  Georgian: /[\u10d0-\u10f0]/u,
  Ethiopic: /[\u1200-\u1248]/u,
};
test.each(Object.entries(SCRIPTS))("no letter of %s is a hole or a mark", (_, letters) => {
  const signs = /[\u042c\u042a\u044c\u044a]/u;
  const all = ALL.filter((letter) => letters.test(letter) && !signs.test(letter));
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter((letter) => !/^[A-Za-z]+$/.test(latin(letter)))).toEqual([]);
});

const withData = (data: Record<string, string>, payment: FilePayment = internationalPayment()) => ({
  ...payment,
  account: { ...payment.account, ...data },
});
const fileOf = (data: Record<string, string>) => format.write(batchOf([withData(data)])).toString();
const creditor = (data: Record<string, string>) =>
  /<Cdtr>([\s\S]*?)<\/Cdtr>/.exec(fileOf(data))?.[1];

test.each(["*", "#", "/", "🏙", "-", ".", "🏙️ 🌃", "\u200d", "--- ---", "…", "?!"])(
  "a town of %j is a fault, and so is such a name",
  (nothing) => {
    for (const payment of [internationalPayment(), usPayment()]) {
      const town = withData({ recipientCity: nothing }, payment);
      expect(findFault(town, "USD")).toBe("recipient_town_not_supported");
      const person = withData({ name: "", firstName: nothing, lastName: nothing }, payment);
      expect(findFault(person, "USD")).toBe("recipient_name_not_supported");
      expect(findFault(withData({ name: nothing }, payment), "USD")).toBe(
        "recipient_name_not_supported",
      );
    }
    const ach = samplePayment({ account: { ...samplePayment().account, name: nothing } });
    expect(findAchFault(ach)).toBe("name_invalid");
  },
);

test.each(["N/A", "n/a", "N.A.", "00000", "0", "NOTPROVIDED", "not available", "Unknown", "xxx"])(
  "a town of %j is none either",
  (recipientCity) => {
    for (const payment of [internationalPayment(), usPayment()]) {
      const town = withData({ recipientCity }, payment);
      expect(findFault(town, "USD")).toBe("recipient_town_not_supported");
    }
  },
);

test.each(["N/A", "n.a."])("a business whose name is %j has none", (name) => {
  expect(findFault(withData({ name }), "USD")).toBe("recipient_name_not_supported");
});

test.each(["6200 Zug", "Ó", "A", "東京", "None"])("a town of %j can be one", (recipientCity) => {
  expect(findFault(withData({ recipientCity }), "USD")).toBeNull();
});

const PLACEHOLDERS = [
  ...[
    "-",
    "--",
    "—",
    ".",
    "...",
    "*",
    "#",
    "0",
    "00000",
    "00000-0000",
    "000 000",
    "N/A",
    "n/a",
    "N.A.",
  ],
  ...[
    "n.a",
    "none",
    "None",
    "NULL",
    "nil",
    "unknown",
    "Not available",
    "not applicable",
    "NOT PROVIDED",
  ],
  ...["notprovided", "undefined", "X", "xxxxx", "🙂", "/"],
];
test.each(PLACEHOLDERS)("the placeholder %j is left out of an address", (nothing) => {
  const address = {
    recipientState: nothing,
    recipientPostalCode: nothing,
    recipientAddress: nothing,
  };
  const written = creditor(address);
  expect(written).not.toMatch(/PstCd|CtrySubDvsn|StrtNm/);
  expect(written).toContain("<TwnNm>Koln</TwnNm>");
});

test.each([
  ["10117", "Berlin"],
  ["00100", "NA"],
  ["D02 X285", "NY"],
  ["0001", "OO"],
  ["SW1A 1AA", "X-Region"],
])("the postal code %s and the state %s stay", (recipientPostalCode, recipientState) => {
  const written = creditor({ recipientPostalCode, recipientState });
  expect(written).toContain(`<PstCd>${recipientPostalCode}</PstCd>`);
  expect(written).toContain(`<CtrySubDvsn>${recipientState}</CtrySubDvsn>`);
});

test.each([
  ["Suharto", "-", "Suharto"],
  [".", "Suharto", "Suharto"],
  ["Suharto", "N/A", "Suharto"],
  ["Suharto", "N.A.", "Suharto"],
  ["Suharto", "🙂", "Suharto"],
  ["Christopher", "Null", "Christopher Null"],
  ["Li", "Na", "Li Na"],
])("a person with the names %j and %j is %j", (firstName, lastName, expected) => {
  const person = { name: "", firstName, lastName };
  expect(creditor(person)).toContain(`<Nm>${expected}</Nm>`);
  expect(recipientName(person)).toBe(expected.toUpperCase());
});
