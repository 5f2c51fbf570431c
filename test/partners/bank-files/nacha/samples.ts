// What the tests of the NACHA format share: an agreement, payments and batches.

import type { Batch, FilePayment } from "../../../../partners/bank-files/format.ts";

export const AGREEMENT = {
  immediateDestination: "021000021",
  immediateOrigin: "1234567890",
  destinationName: "FIRST BANK",
  originName: "PAYRAIL INC",
  companyName: "PAYRAIL",
  companyId: "1987654321",
  odfi: "02100002",
};

export function samplePayment(changes: Partial<FilePayment> = {}): FilePayment {
  return {
    id: "01932f5e-7c1a-7b3d-8e4f-5a6b7c8d9e0f",
    amountMinor: 12_345,
    currency: "USD",
    reference: "Invoice 17",
    optionType: "bank",
    account: {
      firstName: "Ada",
      lastName: "Lovelace",
      accountNumber: "000123456789",
      routingNumber: "091000019",
      accountType: "CHECKING",
    },
    ...changes,
  };
}

export function sampleBatch(payments: FilePayment[], changes: Partial<Batch> = {}): Batch {
  return {
    number: 1,
    id: "P-20261126-000001",
    closedAt: Date.parse("2026-11-26T15:04:59Z"),
    settlesOn: "2026-11-27",
    paymentsBefore: 0,
    payments,
    ...changes,
  };
}

/** The id of the n-th payment: a UUID. */
export function idOf(n: number): string {
  return `01932f5e-7c1a-7b3d-8e4f-${n.toString(16).padStart(12, "0")}`;
}
