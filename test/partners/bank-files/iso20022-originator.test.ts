// The settings of the bank's agreement: faults are all listed, and never the account's number.

import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { ORIGINATOR } from "../../support/bank/wires.ts";

const faultsOf = (settings: unknown): string => {
  try {
    iso20022Format(settings);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

test("the full and the shortest settings are taken", () => {
  const { address: _, ...others } = ORIGINATOR;
  expect(faultsOf(ORIGINATOR)).toBe("");
  expect(faultsOf({ ...others, bank: { bic: "CHASUS33" } })).toBe("");
});

test.each([
  [null, "originator must be an object"],
  [{ ...ORIGINATOR, nam: "x" }, "originator.nam is unknown"],
  [{ ...ORIGINATOR, name: undefined }, "originator.name must be 1 to 70 characters"],
  [{ ...ORIGINATOR, name: "Müller" }, "originator.name must be 1 to 70 characters"],
  [{ ...ORIGINATOR, id: "x".repeat(36) }, "originator.id must be 1 to 35 characters"],
  [{ ...ORIGINATOR, currency: "JPY" }, "originator.currency must be one of USD, NGN"],
  [{ ...ORIGINATOR, chargeBearer: "CRED" }, "originator.chargeBearer must be one of DEBT"],
  [{ ...ORIGINATOR, bank: {} }, "originator.bank needs bic or clearing"],
  [{ ...ORIGINATOR, bank: { bic: "X" } }, "originator.bank.bic must be a BIC"],
  [
    { ...ORIGINATOR, bank: { clearing: { system: "USABA", member: "12" } } },
    "originator.bank.clearing.member is no member of USABA",
  ],
  [
    { ...ORIGINATOR, bank: { clearing: { system: "XX", member: "12" } } },
    "originator.bank.clearing.system must be one of USABA",
  ],
  [{ ...ORIGINATOR, address: { town: "X" } }, "originator.address.country is missing"],
  [{ ...ORIGINATOR, toString: "x" }, "originator.toString is unknown"],
])("%j: %s", (settings, fault) => {
  expect(faultsOf(settings)).toContain(fault);
});

test("all faults are listed at once", () => {
  const faults = faultsOf({});
  for (const key of ["name", "id", "account", "currency", "bank", "chargeBearer"]) {
    expect(faults).toContain(`originator.${key} is missing`);
  }
});

test("a wrong account number is not repeated", () => {
  const account = "DE89370400440532013001";
  const faults = faultsOf({ ...ORIGINATOR, account });
  expect(faults).toContain("originator.account must be an IBAN");
  expect(faults).not.toContain(account);
});
