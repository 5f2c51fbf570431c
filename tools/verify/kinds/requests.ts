// The ledger's own requests: fundings, adjustments, and transfers between accounts; their postings,
// events and states, for verification. The halves of transfers are checked by transit.ts.

import type { Transfer } from "../../../services/wallet-ledger/journal.model.ts";
import type { Posting } from "../../../services/wallet-ledger/postings.ts";
import type { Currency } from "../../../shared/money.ts";
import { type Document, decimalText, type Kind, MOVES_NOTHING, relayProblem } from "./kind.ts";

export interface Request extends Document {
  entityId: string;
  walletId: string;
  currency: Currency;
  amountMinor: number;
  reference?: string;
  declined?: string;
  /** The balance of the account of the first posting after it. */
  balanceMinor?: number;
}
export interface Adjustment extends Request {
  direction: "CREDIT" | "DEBIT";
}
/** From a collection account (`accountId`) to `walletId`. */
export interface AccountTransfer extends Request {
  accountId: string;
}
/** From `walletId` to `toWalletId`. */
export interface WalletTransfer extends Request {
  toWalletId: string;
  description?: string;
}

const FIELDS = [
  ...["entityId", "walletId", "currency", "amountMinor", "reference", "declined"],
  "balanceMinor",
];

/** @param freesReference whether a declined request has no reference */
function kindOf<D extends Request>(freesReference: boolean): Pick<Kind<D>, "findContradiction"> {
  return {
    findContradiction({ step, status, states, declined, reference, balanceMinor, ...outbox }) {
      // The previous release stores neither steps nor states.
      if (step === undefined) return null;
      const entered = states.map((each) => each.status).join(", ");
      // A node of the previous release stores the end alone, and the driver goes on from there.
      if (step === "post") return entered === "" ? null : "has ended, and is to be posted";
      if (entered !== status) return `has entered ${entered} last`;
      if ((status === "FAILED") !== (declined !== undefined)) return "has no reason of its state";
      if (status === "SUCCESS" && !Number.isSafeInteger(balanceMinor)) return "has no balance";
      if (!freesReference && reference === undefined) return "has no reference";
      return relayProblem(states.length, outbox);
    },
  };
}

/** A request of one posting, which has the document's id. */
function single<D extends Request>(toPosting: (document: D) => Posting, kinds: string[]) {
  return {
    postings: Object.fromEntries(kinds.map((kind) => [kind, toPosting])),
    owes: (document: D) => (document.status === "SUCCESS" ? [toPosting(document).kind] : []),
    forbids: ({ status, balanceMinor }: D, _kind: string, { balance }: Transfer) => {
      if (status === "FAILED") return "was refused, and moved money";
      const isRight = balanceMinor === undefined || balanceMinor === balance;
      return isRight ? null : `has the balance ${balanceMinor}, not ${balance}`;
    },
  };
}

function payloadOf(request: Request) {
  const { _id, walletId, entityId, amountMinor, currency, balanceMinor, reference } = request;
  return {
    transactionId: _id,
    walletId,
    entityId,
    amount: amountMinor / 100,
    currency,
    balance: decimalText(balanceMinor as number),
    reference,
  };
}

export const fundings: Kind<Request> = {
  name: "funding",
  phase: "fundings",
  rule: "fundings",
  fields: FIELDS,
  ...kindOf(false),
  ...single(
    ({ _id: id, walletId, currency, amountMinor }) => ({
      ...{ id, kind: "funding", walletId, currency, amountMinor },
    }),
    ["funding"],
  ),
  eventTypes: ["FUNDING"],
  expectedEvent: (funding) =>
    funding.status === "SUCCESS"
      ? { eventType: "FUNDING", status: "SUCCEEDED", payload: payloadOf(funding) }
      : null,
};

export const adjustments: Kind<Adjustment> = {
  name: "adjustment",
  phase: "adjustments",
  rule: "adjustments",
  fields: [...FIELDS, "direction"],
  ...kindOf(true),
  ...single(
    ({ _id: id, direction, walletId, currency, amountMinor }) => {
      const kind = direction === "CREDIT" ? "adjustment-credit" : "adjustment-debit";
      return { id, kind, walletId, currency, amountMinor };
    },
    ["adjustment-credit", "adjustment-debit"],
  ),
  eventTypes: ["ADJUSTMENT"],
  expectedEvent: (adjustment) =>
    adjustment.status === "SUCCESS"
      ? { eventType: "ADJUSTMENT", status: "SUCCEEDED", payload: payloadOf(adjustment) }
      : null,
};

export const accountTransfers: Kind<AccountTransfer> = {
  name: "account transfer",
  phase: "moves",
  rule: "transit",
  fields: [...FIELDS, "accountId"],
  ...MOVES_NOTHING,
  ...kindOf(false),
  eventTypes: [],
  expectedEvent: () => null,
};

export const walletTransfers: Kind<WalletTransfer> = {
  name: "transfer",
  phase: "walletTransfers",
  rule: "transit",
  fields: [...FIELDS, "toWalletId", "description"],
  ...MOVES_NOTHING,
  ...kindOf(true),
  eventTypes: ["TRANSFER"],
  expectedEvent: (transfer) =>
    transfer.status === "SUCCESS"
      ? {
          eventType: "TRANSFER",
          status: "SUCCEEDED",
          payload: {
            ...payloadOf(transfer),
            toWalletId: transfer.toWalletId,
            reason: transfer.description ?? "",
          },
        }
      : null,
};
