// Linking and unlinking of bank accounts, cards and prepaid cards, and the instruments for payouts.

import { randomBytes } from "node:crypto";
import mongoose from "mongoose";
import accounts from "../../services/accounts/accounts.service.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import type { BankData, CardData } from "../../shared/contracts/account-data.ts";
import type { Params } from "../../shared/contracts/contracts.ts";
import { newId } from "../../shared/ids.ts";
import { CURRENCIES } from "../../shared/money.ts";
import {
  bankData,
  cardData,
  createBusiness,
  createUser,
  failure,
  linkAccount,
  openWallet,
} from "../support/accounts.ts";
import { type System, startSystem } from "../support/system.ts";

let system: System;
let database: mongoose.Connection;
let businessId: string;
let user: { id: string; walletId: string };
beforeAll(async () => {
  system = await startSystem([accounts, walletLedger]);
  database = await mongoose.createConnection(system.config.mongoUrl as string).asPromise();
  businessId = (await createBusiness(system)).id;
});
beforeEach(async () => {
  user = await createUser(system, businessId);
});
afterAll(async () => {
  await database.close();
  await system.stop();
});

/** Links to the user's wallet. */
function link(overrides: Partial<Params<"accounts.linkAccount">> = {}) {
  return linkAccount(system, { businessId, walletId: user.walletId, ...overrides });
}

async function destination(linkedAccountId: string, entityId = user.id, currency = "USD" as const) {
  const requests = [{ entityId, linkedAccountId, currency }];
  return (await system.call("accounts.payoutDestinations", { requests }))[0];
}

function unlink(linkedAccountId: string, currency: "USD" | "EUR" = "USD") {
  return system.call("accounts.unlinkAccount", { businessId, currency, linkedAccountId });
}

/** The number of accounts that were ever stored for the user's wallet. */
function linkedCount(): Promise<number> {
  return database.collection("linked_accounts").countDocuments({ walletId: user.walletId });
}

/** Every document of the database as text. */
async function dump(): Promise<string> {
  const collections = await database.listCollections();
  const documents = await Promise.all(
    collections.map(({ name }) => database.collection(name).find().toArray()),
  );
  return JSON.stringify(documents);
}

describe("linking", () => {
  test("makes a bank account a payout destination of its wallet's owner", async () => {
    const data = bankData({ accountNumber: "000111222333" });
    const account = await link({ data, label: "Main", nickName: "Rent" });
    expect(account).toEqual({
      id: expect.any(String),
      currency: "USD",
      optionType: "bank",
      walletId: user.walletId,
      counterPartyName: "Ada Lovelace",
      counterPartyEmail: "ada@users.test",
      nickName: "Rent",
      lastFourDigits: "2333",
      createdAt: expect.any(String),
      updatedAt: account.createdAt,
    });
    await expect(destination(account.id)).resolves.toEqual({
      linkedAccountId: account.id,
      businessId,
      entityId: user.id,
      entityType: "USER",
      walletId: user.walletId,
      currency: "USD",
      optionType: "bank",
      lastFour: "2333",
      fingerprint: expect.any(String),
    });
  });

  test.each(["card", "prepaid_card"] as const)(
    "makes a %s known by its vault token",
    async (type) => {
      const data = cardData({ lastFourDigits: "0005" });
      const account = await link({ optionType: type, data });
      expect(account).toMatchObject({
        optionType: type,
        counterPartyName: "Ada Lovelace",
        nickName: null,
        lastFourDigits: "0005",
      });
      await expect(destination(account.id)).resolves.toMatchObject({
        optionType: type,
        lastFour: "0005",
      });
    },
  );

  test("prefers the holder's name to first and last name", async () => {
    const account = await link({ data: bankData({ name: "Engines Ltd" }) });
    expect(account.counterPartyName).toBe("Engines Ltd");
  });

  test("by the business works for its own wallet", async () => {
    const walletId = await openWallet(system, businessId, businessId);
    const account = await link({ walletId });
    await expect(destination(account.id, businessId)).resolves.toMatchObject({
      entityId: businessId,
      entityType: "BUSINESS",
    });
  });

  test("accepts the currency in any case, but only the wallet's", async () => {
    await expect(link({ currency: "usd" as "USD" })).resolves.toMatchObject({ currency: "USD" });
    await expect(link({ currency: "EUR" })).rejects.toEqual(
      failure("VALIDATION", "currency must be the wallet's"),
    );
    await expect(link({ currency: "XXX" as "USD" })).rejects.toEqual(
      failure("VALIDATION", `currency must be one of ${CURRENCIES.join(", ")}`),
    );
  });

  test("does not find a wallet of another business", async () => {
    const other = await createBusiness(system);
    const theirs = await createUser(system, other.id);
    for (const walletId of [theirs.walletId, newId()]) {
      await expect(link({ walletId })).rejects.toEqual(
        failure("WALLET_NOT_FOUND", "Wallet not found"),
      );
    }
    const collection = await system.call("wallet-ledger.openCollectionAccount", {
      businessId,
      currency: "USD",
    });
    await expect(link({ walletId: collection.account.id })).rejects.toEqual(
      failure("WALLET_NOT_FOUND"),
    );
  });
});

describe("the data of an account", () => {
  const rules: Partial<Record<keyof (BankData & CardData), string>> = {
    routingNumber: "an ABA routing number of nine digits with a valid checksum",
    accountNumber: "4 to 17 digits",
    accountType: "one of CHECKING, SAVINGS",
    email: "an email address",
    encryptedCardNumber: "a vault's token of 1 to 256 visible ASCII characters, not a card number",
    lastFourDigits: "the card number's last four digits",
    cardType: "one of credit, debit",
    cardExpirationDate: "MM/YY or MM/YYYY and not in the past",
  };
  const text = "a text of 1 to 256 characters";
  const begins = (message: string) => expect.stringContaining(message) as string;

  const everWrong = [
    undefined,
    null,
    "",
    7,
    true,
    ["x"],
    { $gt: "" },
    "x".repeat(300),
    "a\u0007b",
    "a\u202eb",
    "a\ud800",
  ];
  const wrongBank: [keyof BankData, unknown[]][] = [
    [
      "routingNumber",
      [...everWrong, "021000022", "000000000", "990000005", "02100002", "０２1000021"],
    ],
    [
      "accountNumber",
      [...everWrong, "123", "123456789012345678", "12 345", "DE89370400440532013000"],
    ],
    ["accountType", [...everWrong, "LOAN"]],
    [
      "email",
      [...everWrong, "ada", "ada@", "@users.test", "a\u202eb@users.test", "a\u0000@b.test"],
    ],
    ["firstName", everWrong],
    ["lastName", everWrong],
    ["bankName", everWrong],
    ["recipientAddress", everWrong],
    ["recipientCity", everWrong],
    ["recipientState", everWrong],
    ["recipientPostalCode", everWrong],
  ];
  test.each(wrongBank)("of a bank have a checked %s", async (field, values) => {
    for (const value of values) {
      const data = { ...bankData(), [field]: value };
      const message = begins(`data.${field} must be ${rules[field] ?? text}`);
      await expect(link({ data })).rejects.toEqual(failure("VALIDATION", message));
    }
    await expect(linkedCount()).resolves.toBe(0);
  });

  const wrongCard: [keyof CardData, unknown[]][] = [
    // The last two are card numbers, which are never accepted.
    ["encryptedCardNumber", [...everWrong, "4242424242424242", "4242 4242-4242 4242"]],
    ["lastFourDigits", [...everWrong, "424", "42424", "４242"]],
    ["cardBrand", [...everWrong, "Bitcoin", "Vi\u200fsa", "V\u0000isa", "visa!", "\u0455visa"]],
    ["cardType", [...everWrong, "prepaid"]],
    ["cardExpirationDate", [...everWrong, "13/30", "00/30", "1/30", "2030-12", "12/1999", "01/20"]],
    ["name", everWrong],
    ["email", everWrong],
  ];
  test.each(wrongCard)("of a card have a checked %s", async (field, values) => {
    for (const value of values) {
      const data = { ...cardData(), [field]: value };
      const message = begins(`data.${field} must be ${rules[field] ?? text}`);
      const brands = begins("data.cardBrand must be one of Visa,");
      await expect(link({ optionType: "card", data })).rejects.toEqual(
        failure("VALIDATION", field === "cardBrand" ? brands : message),
      );
    }
    await expect(linkedCount()).resolves.toBe(0);
  });

  test("are refused with the names of all wrong fields", async () => {
    const data = { ...bankData(), routingNumber: "1", email: "none" };
    const wrong = link({ walletId: "none", nickName: "", data });
    await expect(wrong).rejects.toMatchObject({
      type: "VALIDATION",
      message: [
        "walletId must be a UUID",
        `nickName must be ${text}, but is empty`,
        `data.email must be ${rules.email}, but has no @`,
        `data.routingNumber must be ${rules.routingNumber}`,
      ].join("; "),
    });
  });

  test("must be those of the account's type", async () => {
    const bankAsCard = link({ optionType: "card", data: bankData() });
    await expect(bankAsCard).rejects.toMatchObject({
      message: expect.stringContaining("data.encryptedCardNumber must be"),
    });
    for (const data of [undefined, null, "x", 7, [bankData()]]) {
      await expect(link({ data: data as never })).rejects.toEqual(
        failure("VALIDATION", begins("data must be an object, but is ")),
      );
    }
    for (const optionType of ["international_bank", "__proto__", "constructor", 7, { $ne: 1 }]) {
      await expect(link({ optionType: optionType as never })).rejects.toEqual(
        failure("VALIDATION", "optionType must be one of bank, card, prepaid_card"),
      );
    }
  });

  test("may have unknown fields, prototypes too, which are dropped", async () => {
    const tricky = JSON.parse('{"__proto__": {"admin": true}, "balance": 1, "wanted": "planted"}');
    const account = await link({ data: Object.assign(tricky, bankData()) as BankData });
    const instrument = await system.call("accounts.instrument", { linkedAccountId: account.id });
    expect(Object.keys(instrument.data).toSorted()).toEqual(Object.keys(bankData()).toSorted());
  });

  test("have an expiry, stored as MM/YY; a card is valid until the end of that month", async () => {
    const now = new Date();
    const at = (months: number) => {
      const date = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months));
      return {
        month: String(date.getUTCMonth() + 1).padStart(2, "0"),
        year: date.getUTCFullYear(),
      };
    };
    const [last, current] = [at(-1), at(0)];
    const linkExpiring = (cardExpirationDate: string) =>
      link({ optionType: "card", data: cardData({ cardExpirationDate }) });

    for (const year of [String(last.year), String(last.year % 100)]) {
      await expect(linkExpiring(`${last.month}/${year}`)).rejects.toMatchObject({
        type: "VALIDATION",
      });
    }
    for (const year of [String(current.year), String(current.year % 100)]) {
      const account = await linkExpiring(`${current.month}/${year}`);
      const { data } = await system.call("accounts.instrument", { linkedAccountId: account.id });
      expect(data.cardExpirationDate).toBe(`${current.month}/${current.year % 100}`);
    }
  });

  test("include routing numbers of real banks, and brands in the vaults' spelling", async () => {
    for (const routingNumber of ["011000015", "121000248", "322271627", "071000013"]) {
      await link({ data: bankData({ routingNumber }) });
    }
    for (const cardBrand of ["visa", "MASTERCARD", "american_express", "Diners Club"]) {
      await link({ optionType: "card", data: cardData({ cardBrand }) });
    }
    // A prepaid card needs no cardType, because the option type shows it.
    const { cardType: _, ...data } = cardData();
    await link({ optionType: "prepaid_card", data });
  });
});

describe("the same account", () => {
  test("is linked to a wallet once, and again after it was unlinked", async () => {
    const data = bankData();
    const first = await link({ data });
    const again = link({ data: { ...bankData(), ...pick(data), firstName: "Other" } });
    await expect(again).rejects.toEqual(failure("DUPLICATE_ACCOUNT"));

    await unlink(first.id);
    const second = await link({ data });
    expect(second.id).not.toBe(first.id);
    await expect(link({ data })).rejects.toEqual(failure("DUPLICATE_ACCOUNT"));
  });

  test("is linked to another wallet too", async () => {
    const data = bankData();
    await link({ data });
    const other = await createUser(system, businessId);
    await link({ data, walletId: other.walletId });
  });

  test("differs with another routing number", async () => {
    const data = bankData({ routingNumber: "021000021" });
    await link({ data });
    await link({ data: { ...data, routingNumber: "011000015" } });
  });

  test("is the same card, prepaid or not", async () => {
    const data = cardData();
    await link({ optionType: "card", data });
    const again = link({ optionType: "prepaid_card", data });
    await expect(again).rejects.toEqual(failure("DUPLICATE_ACCOUNT"));
  });

  test("is linked once by many concurrent requests", async () => {
    const data = bankData();
    const race = Array.from({ length: 20 }, () => link({ data: { ...data } }));
    const results = await Promise.allSettled(race);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  const pick = ({ accountNumber, routingNumber }: BankData) => ({ accountNumber, routingNumber });
});

describe("unlinking", () => {
  test("hides the account from new payouts, not from running ones", async () => {
    const data = bankData();
    const account = await link({ data });
    await expect(unlink(account.id)).resolves.toEqual({ id: account.id });

    await expect(destination(account.id)).resolves.toBeNull();
    await expect(
      system.call("accounts.instrument", { linkedAccountId: account.id }),
    ).resolves.toEqual({ optionType: "bank", data });
    await expect(unlink(account.id)).rejects.toEqual(failure("LINKED_ACCOUNT_NOT_FOUND"));
  });

  test("does not find another business's account, or one in another currency", async () => {
    const account = await link();
    const other = await createBusiness(system);
    const notFound = failure("LINKED_ACCOUNT_NOT_FOUND", "Linked account not found");
    const theirs = { businessId: other.id, currency: "USD", linkedAccountId: account.id } as const;
    await expect(system.call("accounts.unlinkAccount", theirs)).rejects.toEqual(notFound);
    await expect(unlink(account.id, "EUR")).rejects.toEqual(notFound);
    for (const id of [newId(), "no-uuid", ""]) await expect(unlink(id)).rejects.toEqual(notFound);
    await expect(destination(account.id)).resolves.not.toBeNull();
  });
});

describe("payout destinations", () => {
  test("are answered in the requested order, null for each account of another entity", async () => {
    const [one, two] = [await link(), await link()];
    const other = await createUser(system, businessId);
    const ask = (linkedAccountId: string, entityId = user.id, currency: "USD" | "EUR" = "USD") => ({
      entityId,
      linkedAccountId,
      currency,
    });
    const found = await system.call("accounts.payoutDestinations", {
      requests: [
        ask(two.id),
        ask(one.id, other.id),
        ask(one.id, businessId),
        ask(one.id, user.id, "EUR"),
        ask(newId()),
        ask("no-uuid"),
        ask(""),
        ask("x\u0000y\ud800"),
        ask("z".repeat(5_000)),
        ask(one.id),
        ask(two.id),
      ],
    });
    const ids = found.map((each) => each?.linkedAccountId ?? null);
    expect(ids).toEqual([two.id, ...Array(8).fill(null), one.id, two.id]);
  });

  test("for an empty list are an empty list", async () => {
    await expect(system.call("accounts.payoutDestinations", { requests: [] })).resolves.toEqual([]);
  });
});

describe("at rest", () => {
  test("numbers and addresses are absent from the database, names and last four are present", async () => {
    const account = await link({
      data: bankData({ accountNumber: "98765432101", recipientAddress: "1 Secret Lane" }),
    });
    await link({ optionType: "card", data: cardData({ encryptedCardNumber: "tok_planted_99" }) });
    const text = await dump();
    expect(text).toContain(account.id);
    expect(text).toContain("Ada Lovelace");
    expect(text).toContain("2101");
    for (const planted of ["98765432101", "021000021", "1 Secret Lane", "tok_planted_99"]) {
      expect(text).not.toContain(planted);
      expect(text).not.toContain(Buffer.from(planted).toString("base64").slice(0, -3));
    }
  });

  test("a new key encrypts and the old one still decrypts; a lost one hides only its own fields", async () => {
    const environment = { MONGO_URL: system.config.mongoUrl as string };
    const [old] = system.config.encryptionKeys;
    const oldKey = `${old?.id}:${old?.key.toString("base64")}`;
    const newKey = `new:${randomBytes(32).toString("base64")}`;
    const before = await link();
    const open = (on: System, linkedAccountId: string) =>
      on.call("accounts.instrument", { linkedAccountId });

    const keys = `${newKey},${oldKey}`;
    const rotated = await startSystem([accounts], { ...environment, ENCRYPTION_KEYS: keys });
    const lost = await startSystem([accounts], { ...environment, ENCRYPTION_KEYS: newKey });
    try {
      await expect(open(rotated, before.id)).resolves.toMatchObject({ optionType: "bank" });
      await expect(open(lost, before.id)).rejects.toEqual(
        failure("UNREADABLE", "Encrypted with the key test, which ENCRYPTION_KEYS lacks"),
      );
      const requests = [
        { entityId: user.id, linkedAccountId: before.id, currency: "USD" as const },
      ];
      await expect(lost.call("accounts.payoutDestinations", { requests })).resolves.toMatchObject([
        { lastFour: before.lastFourDigits },
      ]);
    } finally {
      for (const broker of [rotated.broker, lost.broker]) await broker.stop();
    }
  });

  test("an unknown instrument is not found", async () => {
    const missing = system.call("accounts.instrument", { linkedAccountId: newId() });
    await expect(missing).rejects.toEqual(failure("LINKED_ACCOUNT_NOT_FOUND"));
  });
});
