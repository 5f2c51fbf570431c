// Payments by wire for tests: an originator, payments to both kinds of bank account, and batches.

import type { Batch, FilePayment } from "../../../partners/bank-files/format.ts";
import { newId } from "../../../shared/ids.ts";

export const ORIGINATOR = {
  name: "Payrail Test Inc.",
  id: "PAYRAIL01",
  account: "000111222333",
  currency: "USD",
  bank: { bic: "CHASUS33", clearing: { system: "USABA", member: "021000021" } },
  chargeBearer: "SHAR",
  address: {
    street: "1 Main St",
    postalCode: "10001",
    town: "New York",
    state: "NY",
    country: "US",
  },
};

const ADDRESS = {
  recipientAddress: "2 Oak Ave",
  recipientCity: "Springfield",
  recipientState: "IL",
  recipientPostalCode: "62701",
};

export function usPayment(changes: Partial<FilePayment> = {}): FilePayment {
  return {
    id: newId(),
    amountMinor: 123_456,
    currency: "USD",
    reference: "Invoice 42",
    optionType: "bank",
    account: {
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@example.com",
      bankName: "First Bank",
      accountNumber: "000123456789",
      routingNumber: "026009593",
      accountType: "CHECKING",
      ...ADDRESS,
    },
    ...changes,
  };
}

export function internationalPayment(changes: Partial<FilePayment> = {}): FilePayment {
  return {
    ...usPayment(),
    amountMinor: 50,
    reference: "Rechnung 7/2026",
    optionType: "international_bank",
    account: {
      recipientType: "business",
      name: "Müller & Söhne GmbH",
      email: "office@example.com",
      accountNumber: "DE89370400440532013000",
      swiftOrBic: "DEUTDEFF",
      bankName: "Commerzbank",
      recipientAddress: "Unter den Linden 1",
      recipientCity: "Köln",
      recipientState: "Nordrhein-Westfalen",
      recipientCountry: "DE",
      recipientPostalCode: "50667",
    },
    ...changes,
  };
}

export function batchOf(payments: FilePayment[], changes: Partial<Batch> = {}): Batch {
  return {
    number: 1,
    id: "P-20261126-000001",
    closedAt: Date.UTC(2026, 10, 26, 21, 30, 15, 123),
    settlesOn: "2026-11-27",
    paymentsBefore: 0,
    payments,
    ...changes,
  };
}
