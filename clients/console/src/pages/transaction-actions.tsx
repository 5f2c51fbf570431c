// What can be done about a transaction: a merchant cancels a pending payout; an operator cancels it
// too, has its rail or acquirer asked again immediately, or says how a flagged transaction has
// ended: a payout by a button for each end that it can have, any other one by a choice.

import { call, PayrailError } from "../api.ts";
import { money, words } from "../format.ts";
import { may } from "../scopes.ts";
import { Action, NOTE } from "../ui/action.tsx";
import type { Field } from "../ui/form.tsx";
import { isOpen, isPayout, type Of, readTransaction, type Transaction } from "./of-business.ts";

interface ActionsProps {
  of: Of;
  transaction: Transaction;
  onDone(): void;
}

/** @param isHeld whether no partner has it, because the screening holds it */
export function TransactionActions(props: ActionsProps & { isHeld: boolean }) {
  const { of, transaction, isHeld, onDone } = props;
  const { id, status, flow, amount, currency, needsAttention } = transaction;
  const isOperator = of.session.role === "admin";
  const mayCancel = isPayout(transaction) && status === "PENDING" && may(of.session, "payouts");
  const decided = { id, what: `${words(flow).toLowerCase()} of ${amount} ${currency}`, onDone };
  return (
    <>
      {isOperator &&
        needsAttention &&
        (isPayout(transaction) ? (
          <EndPayout {...decided} status={status} />
        ) : (
          <Resolve {...decided} />
        ))}
      {isOperator && isOpen(transaction) && !isHeld && <Retry {...decided} />}
      {mayCancel && <Cancel of={of} transaction={transaction} onDone={onDone} />}
    </>
  );
}

/** What an operator decides about: a payout, a payment or a refund. */
interface Decided {
  id: string;
  /** What it is, in words. */
  what: string;
  onDone(): void;
}

/** The decisions about a refund, which is no transaction of its own. */
export function RefundActions({ id, onDone }: Omit<Decided, "what">) {
  const decided = { id, what: "refund", onDone };
  return (
    <div class="actions">
      <Resolve {...decided} />
      <Retry {...decided} />
    </div>
  );
}

type Outcome = "SUCCESS" | "FAILED";

/** Stores how a transaction has ended. */
function decide(id: string, outcome: Outcome, note: string, idempotencyKey: string) {
  const params = { id, outcome, note };
  return call("POST /v1/admin/transactions/{id}/resolve", params, { idempotencyKey });
}

const HOW_YOU_KNOW: Field = {
  ...NOTE,
  hint: "How you know. The timeline and the audit log keep it.",
};

interface End {
  label: string;
  outcome: Outcome;
  /** What follows, after the name of the payout. */
  follows: string;
}

const SETTLED: End = {
  label: "Settle",
  outcome: "SUCCESS",
  follows: "ends as paid: its money is taken to have reached its destination.",
};
const FAILED: End = {
  label: "Fail",
  outcome: "FAILED",
  follows: "ends as failed: its money and its fee go back to the wallet.",
};
const RETURNED: End = {
  label: "Returned",
  outcome: "FAILED",
  follows: "has come back: its money and its fee go back to the wallet.",
};

/** The ends that a payout of this status can have. */
const ENDS: Record<Transaction["status"], End[]> = {
  PENDING: [SETTLED, FAILED],
  PROCESSING_PAY_OUT: [SETTLED, FAILED],
  SUCCESS: [
    { ...SETTLED, label: "Confirm success", follows: "stays a success: no money moves." },
    RETURNED,
  ],
  FAILED: [{ ...FAILED, label: "Confirm failure", follows: "stays failed: no money moves." }],
};

/** The decisions about a flagged payout. */
function EndPayout({ id, what, status, onDone }: Decided & Pick<Transaction, "status">) {
  return ENDS[status].map(({ label, outcome, follows }) => (
    <Action
      key={label}
      label={label}
      isDanger
      about={
        <p>
          Ask the bank about the id {id} first. If you decide wrongly, money is paid twice or never:
          if the bank does not know either, leave it as it is. The rail is asked before money goes
          back, and may refuse your decision.
        </p>
      }
      fields={[HOW_YOU_KNOW]}
      confirm={() => `The ${what} ${follows}`}
      run={({ note = "" }, key) => decide(id, outcome, note, key)}
      onDone={onDone}
    />
  ));
}

const OUTCOME: Field = {
  name: "outcome",
  label: "How it has ended",
  kind: "choice",
  options: [
    ["", "Choose"],
    ["SUCCESS", "Succeeded: the money has moved"],
    ["FAILED", "Failed: the money has not moved, or is back"],
  ],
};

function Resolve({ id, what, onDone }: Decided) {
  return (
    <Action
      label="Resolve"
      isDanger
      about={
        <>
          <p>
            Ask the rail or the acquirer about the id {id} first. If you choose wrongly, money is
            paid twice or never: if the partner does not know either, leave it as it is.
          </p>
          <p>Before a failure payrail asks the partner to cancel, and refuses if it will not.</p>
        </>
      }
      fields={[OUTCOME, HOW_YOU_KNOW]}
      confirm={({ outcome }) =>
        outcome === "SUCCESS"
          ? `The ${what} ends as succeeded: its money is taken to have reached its destination.`
          : `The ${what} ends as failed: its money goes back to where it came from.`
      }
      run={({ outcome, note = "" }, key) => decide(id, outcome as Outcome, note, key)}
      onDone={onDone}
    />
  );
}

function Retry({ id, what, onDone }: Decided) {
  return (
    <Action
      label="Ask again now"
      about={
        <p>
          The rail or the acquirer is asked about it immediately, not at its next time. No state
          changes by this alone, and nothing is paid twice.
        </p>
      }
      fields={[NOTE]}
      confirm={() => `payrail asks the partner about the ${what} now.`}
      run={({ note = "" }, idempotencyKey) =>
        call("POST /v1/admin/transactions/{id}/retry", { id, note }, { idempotencyKey })
      }
      onDone={onDone}
    />
  );
}

function Cancel({ of, transaction, onDone }: ActionsProps) {
  const { amount, currency } = transaction;
  const sum = money(amount, currency);
  return (
    <Action
      label="Cancel payout"
      isDanger
      about={
        <p>
          The bank is asked not to pay. If it has not begun, the payout ends as failed, and {sum},
          the amount and its fee, goes back to the wallet. If it has begun, nothing changes, and you
          are told so.
        </p>
      }
      fields={of.session.role === "admin" ? [NOTE] : []}
      confirm={() => `payrail tries to cancel the payout of ${sum}. This cannot be undone.`}
      run={({ note = "" }, idempotencyKey) => tryToCancel(of, transaction.id, note, idempotencyKey)}
      show={(outcome) => <p>{cancelInWords(outcome, sum)}</p>}
      onDone={onDone}
    />
  );
}

/** The outcome of a cancel: whether it took effect, and the payout afterwards. */
interface CancelOutcome {
  isCancelled: boolean;
  status: Transaction["status"];
}

async function tryToCancel(
  of: Of,
  id: string,
  note: string,
  idempotencyKey: string,
): Promise<CancelOutcome> {
  const { businessId, session } = of;
  try {
    const { status } =
      session.role === "admin"
        ? await call(
            "POST /v1/admin/businesses/{businessId}/transactions/{id}/cancel",
            { businessId, id, note },
            { idempotencyKey },
          )
        : await call("POST /v1/transactions/{id}/cancel", { id }, { idempotencyKey });
    return { isCancelled: true, status };
  } catch (error) {
    if (!(error instanceof PayrailError && error.code === "payout_not_cancellable")) throw error;
    const { status } = await readTransaction(of, id);
    return { isCancelled: false, status };
  }
}

/** @param sum the amount of the payout and its fee */
function cancelInWords({ isCancelled, status }: CancelOutcome, sum: string): string {
  if (isCancelled) return `The payout is cancelled. ${sum} is back in the wallet.`;
  const why = {
    PENDING: "the bank has begun to pay, and has not told the end yet",
    PROCESSING_PAY_OUT: "the bank has accepted it meanwhile",
    SUCCESS: "it is paid already",
    FAILED: `it has failed already, and ${sum} is back in the wallet`,
  }[status];
  return `The payout could not be cancelled: ${why}. Nothing was changed.`;
}
