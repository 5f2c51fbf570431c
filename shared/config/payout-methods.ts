// Payout methods: the one table from which types, lists and lookups are made. A new method is a row
// here and a case in the rules that choose a method for an account (services/payouts/request.ts).

import type { Fee } from "../fees.ts";

interface PayoutMethodRow {
  /** The method's name in events and transactions (docs/integrate/rest-api.md, Withdrawals). */
  eventName: string;
  /**
   * Whether the network accepts a payment first and settles it later (docs/integrate/rest-api.md,
   * Payout states).
   */
  isAcceptedFirst: boolean;
  /** The fee in every currency for which `FEES` has no entry. */
  defaultFee: Fee;
}

const TABLE = {
  ACH: {
    eventName: "BANK_TRANSFER_ACH",
    isAcceptedFirst: true,
    defaultFee: { fixed: 25, basisPoints: 0, min: 0, max: null },
  },
  RTP: {
    eventName: "BANK_TRANSFER_RTP",
    isAcceptedFirst: true,
    defaultFee: { fixed: 50, basisPoints: 0, min: 0, max: null },
  },
  WIRE: {
    eventName: "BANK_TRANSFER_WIRE",
    isAcceptedFirst: false,
    defaultFee: { fixed: 1_500, basisPoints: 0, min: 0, max: null },
  },
  PUSH_TO_CARD: {
    eventName: "PUSH_TO_CARD",
    isAcceptedFirst: false,
    defaultFee: { fixed: 0, basisPoints: 150, min: 50, max: null },
  },
} as const satisfies Record<string, PayoutMethodRow>;

export type PayoutMethod = keyof typeof TABLE;

export const PAYOUT_METHOD_TABLE: {
  [M in PayoutMethod]: PayoutMethodRow & Pick<(typeof TABLE)[M], "eventName">;
} = TABLE;

export const PAYOUT_METHODS = Object.keys(TABLE) as PayoutMethod[];

/** The names of all payout methods in events and transactions, in the order of the table. */
export const EVENT_METHOD_NAMES = PAYOUT_METHODS.map((method) => TABLE[method].eventName);
