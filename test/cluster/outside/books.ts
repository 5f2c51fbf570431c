// The books of the world outside payrail: what the bank paid, what the acquirer charged and paid
// back, what the merchants' receivers heard. The checker believes them, and nothing of payrail.

/** A change of an entry of the books. */
export interface Note {
  /** Epoch ms. */
  at: number;
  what: string;
}

/** A payment that payrail asked the bank for, by payrail's id. */
export interface BankPayment {
  id: string;
  /** The reason of the withdrawal, which the workload makes unique. */
  reference: string;
  amountMinor: number;
  currency: string;
  method: string;
  /** A cancelled payment that the bank never saw has only an id. */
  state: "accepted" | "settled" | "rejected" | "returned" | "cancelled";
  code?: string;
  /** The number of submits that the bank took or refused. */
  submits: number;
  /** Its states, and `told` for each answer with the moved sum. */
  notes: Note[];
}

/** A charge that payrail asked the acquirer for, by payrail's id. */
export interface CardCharge {
  id: string;
  /** The card's token, which the workload makes unique. */
  card: string;
  amountMinor: number;
  state: "captured" | "declined" | "voided";
  code?: string;
  /** The number of charges that reached the acquirer. */
  asked: number;
  notes: Note[];
}

/** A refund that payrail asked the acquirer for, by payrail's id. */
export interface CardRefund {
  id: string;
  chargeId: string;
  amountMinor: number;
  state: "refunded" | "refused";
  code?: string;
  asked: number;
  notes: Note[];
}

/** A message that reached a receiver of webhooks. */
export interface Arrival {
  /** Epoch ms. */
  at: number;
  receiver: string;
  /** The webhook-id. */
  id: string;
  isSigned: boolean;
  text: string;
  /** The status of the answer; 0 if the receiver did not answer. */
  answered: number;
}
