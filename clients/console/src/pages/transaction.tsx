// One transaction: what it is, what can be done about it, and everything that has happened to it in
// one list, by time.

import { useEffect } from "preact/hooks";
import type { Data } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { money, words } from "../format.ts";
import { useLoad } from "../load.ts";
import { entryInWords } from "../merchant/statement.tsx";
import { AuditLog } from "../operator/audit-log.tsx";
import { ReviewActions } from "../operator/reviews.tsx";
import { href } from "../router.ts";
import {
  Due,
  type Fact,
  Facts,
  Flag,
  Id,
  type Moment,
  Money,
  Page,
  Section,
  Status,
  Time,
  Timeline,
  WaitingPage,
} from "../ui/basics.tsx";
import { BusinessName } from "../ui/names.tsx";
import {
  endUserPath,
  type History,
  isOpen,
  isPayout,
  kindInWords,
  type Of,
  readHistory,
  readTransaction,
  recipientInWords,
  type Transaction,
  transactionsPath,
  webhookPath,
} from "./of-business.ts";
import { RefundActions, TransactionActions } from "./transaction-actions.tsx";

/** While a transaction is open, its page reads it again, so that it shows what can be done now. */
const READ_EVERY_MS = 5_000;

export function TransactionPage({ params, session }: RouteProps) {
  const { id = "", businessId = session.id, refundId } = params;
  const of: Of = { session, businessId };
  const loaded = useLoad(`${businessId} ${id}`, async () => {
    const [transaction, timeline] = await Promise.all([
      readTransaction(of, id),
      readHistory(of, id),
    ]);
    return { transaction, timeline };
  });
  const { data, reload } = loaded;
  const isChanging = data !== null && isOpen(data.transaction);
  useEffect(() => {
    if (!isChanging) return;
    const timer = setInterval(() => {
      // Not below a dialog, whose button the new state may take away.
      if (!document.hidden && !document.querySelector("dialog")) reload();
    }, READ_EVERY_MS);
    return () => clearInterval(timer);
  }, [isChanging, reload]);
  if (!data) {
    return <WaitingPage title="Transaction" error={loaded.error} />;
  }
  const { transaction, timeline } = data;
  const review = reviewOf(transaction, timeline);
  return (
    <Page
      title={titleOf(transaction)}
      about={isPayout(transaction) && payoutInWords(transaction, review)}
      beside={
        <>
          <Status of={transaction.status} />
          {review && <Flag>Waits for a review</Flag>}
          {transaction.needsAttention && <Flag>Needs attention</Flag>}
        </>
      }
      actions={
        <>
          {review && <ReviewActions payout={transaction} onDone={reload} />}
          <TransactionActions
            of={of}
            transaction={transaction}
            isHeld={review !== undefined}
            onDone={reload}
          />
          {transaction.flow === "COLLECTION" && session.role === "merchant" && (
            <a class="button" href={href(["payments", id])}>
              Payment
            </a>
          )}
          {transaction.flow === "TRANSFER" && session.role === "merchant" && (
            <a class="button" href={href(["transfers", id])}>
              Transfer
            </a>
          )}
        </>
      }
      loaded={loaded}
    >
      {timeline.problem && <p class="problem">{timeline.problem}</p>}
      <TransactionFacts transaction={transaction} timeline={timeline} of={of} />
      {refundId && (
        <Section title="Refund that needs attention">
          <Facts of={[["Refund", <Id value={refundId} />]]} />
          <RefundActions id={refundId} onDone={reload} />
        </Section>
      )}
      <Section title="Timeline">
        <Timeline moments={momentsOf(timeline, transaction.currency, of)} />
      </Section>
      {session.role === "admin" && (
        <Section title="What operators have done">
          <AuditLog subjectId={refundId ?? id} />
        </Section>
      )}
    </Page>
  );
}

/** Such as `Payout of USD 25.25 to Ada Lovelace`. */
function titleOf(transaction: Transaction): string {
  const { amount, currency, recipient } = transaction;
  const to = recipient ? ` to ${recipient.name}` : "";
  return `${kindInWords(transaction)} of ${money(amount, currency)}${to}`;
}

/** The screening's review that a payout waits for, if so; only an operator reads it. */
function reviewOf({ status }: Transaction, { screening = [] }: History): Verdict | undefined {
  const last = screening.at(-1);
  return status === "PENDING" && last?.decision === "REVIEW" ? last : undefined;
}

/** The state of a payout, and whether it can be cancelled. */
function payoutInWords(
  { status, amount, currency, failureReason }: Transaction,
  review: Verdict | undefined,
): string {
  switch (status) {
    case "PENDING":
      if (review) {
        return `Held until you allow or deny it, because the screening says: ${review.reasons.join("; ")}. No bank has it yet.`;
      }
      return "Accepted, but not confirmed by the bank yet. It can be cancelled unless the bank has begun to pay.";
    case "PROCESSING_PAY_OUT":
      return "The bank has accepted it and is paying it, so it can no longer be cancelled.";
    case "SUCCESS":
      return "It is paid, so it cannot be cancelled. If the recipient's bank returns it, the money comes back to the wallet.";
    case "FAILED":
      return `${failureReason ?? "It failed."} ${money(amount, currency)}, the amount and its fee, is back in the wallet.`;
  }
}

interface FactsProps {
  transaction: Transaction;
  timeline: History;
  of: Of;
}

function TransactionFacts({ transaction, timeline, of }: FactsProps) {
  const { id, amount, fees, currency, method, reason, reference, failureReason, notice } =
    transaction;
  const { entityId, walletId, linkedAccountId, createdAt, updatedAt } = transaction;
  const isMerchant = of.session.role === "merchant";
  return (
    <Facts
      of={[
        ...partiesOf(transaction, of),
        ["Business", !isMerchant && <BusinessName id={of.businessId} />],
        ["Amount", <Money amount={amount} currency={currency} />],
        ["Fees, in the amount", <Money amount={fees} currency={currency} />],
        ["Method", method && words(method)],
        ["Reference", reference],
        ["Reason", reason],
        ["Why it failed", failureReason],
        ["The recipient's bank says", notice],
        ...textsOf(transaction),
        ["Created", <Time at={createdAt} />],
        ["Last changed", <Time at={updatedAt} />],
        ["Transaction", <Id value={id} />],
        [
          "End user",
          entityId !== of.businessId && <Id value={entityId} to={endUserPath(of, entityId)} />,
        ],
        [
          isCollected(transaction) ? "Collection account" : "Wallet",
          <Id value={walletId} {...(isMerchant && { to: accountPath(transaction) })} />,
        ],
        [
          "Linked account, its payouts",
          linkedAccountId && (
            <Id value={linkedAccountId} to={transactionsPath(of)} query={{ linkedAccountId }} />
          ),
        ],
        // The log lines of the request that made it have it, and so have those of its later steps.
        ["Request id, in the logs", timeline.requestId && <Id value={timeline.requestId} />],
      ]}
    />
  );
}

/** Between whom the money moves. */
function partiesOf(transaction: Transaction, of: Of): Fact[] {
  const { recipient, entity, entityId, currency } = transaction;
  const isMerchant = of.session.role === "merchant";
  const isOwn = entityId === of.businessId;
  const person = entity?.email ?? "an erased end user";
  const account = isCollected(transaction)
    ? `${currency} collection account`
    : `${currency} wallet of ${isOwn ? "the business" : person}`;
  const places = { currency, search: recipient?.name, last4: recipient?.lastFour };
  return [
    [
      "To",
      recipient &&
        (isMerchant ? (
          <a href={href(["linked-accounts"], places)}>{recipientInWords(recipient)}</a>
        ) : (
          recipientInWords(recipient)
        )),
    ],
    [
      isDebited(transaction) ? "From" : "Into",
      isMerchant ? <a href={href(accountPath(transaction))}>{account}</a> : account,
    ],
    ["For", !isOwn && <a href={href(endUserPath(of, entityId))}>{person}</a>],
    ["Email of the recipient", recipient?.email !== entity?.email && recipient?.email],
  ];
}

/** Whether the money leaves its wallet or collection account. */
function isDebited(transaction: Transaction): boolean {
  const { flow, direction } = transaction;
  return isPayout(transaction) || ["REFUND", "TRANSFER"].includes(flow) || direction === "DEBIT";
}

/** Whether it moves money of a collection account. */
function isCollected({ flow }: Transaction): boolean {
  return flow === "COLLECTION" || flow === "REFUND";
}

/** Where a merchant sees the wallet or the collection account. */
function accountPath(transaction: Transaction): string[] {
  return [isCollected(transaction) ? "collection-accounts" : "wallets", transaction.walletId];
}

/** The texts that came with it: of a payout the merchant's own, of a payment the customer's too. */
function textsOf(transaction: Transaction): Fact[] {
  const { metadata } = transaction;
  if (!metadata) return [];
  if (isPayout(transaction)) return Object.entries(metadata);
  const { itemDeliveryAddress, customData, fields } = metadata as PaymentMetadata;
  return [
    ["Delivery address", itemDeliveryAddress],
    ...Object.entries({ ...customData, ...fields }),
  ];
}

type PaymentMetadata = Data<"GET /v1/business/{businessId}/payments/{id}">["metadata"];

type Verdict = NonNullable<History["screening"]>[number];

const DECISIONS: Record<Verdict["decision"], string> = {
  ALLOW: "Allowed",
  REVIEW: "Held for a review",
  DENY: "Denied",
};

function momentsOf(history: History, currency: string, of: Of): Moment[] {
  const { screening = [], states, entries, deliveries } = history;
  const debitedAt = entries[0]?.createdAt ?? "";
  return [
    ...states.map(({ status, at, by }) => ({
      at,
      kind: "Status",
      title: <Status of={status} />,
      detail: by && `An operator decided: ${by}`,
    })),
    ...entries.map(({ kind, entry, amount, balance, block, createdAt }) => ({
      at: createdAt,
      kind: "Ledger",
      title: `${entryInWords(kind)}, ${entry === "DEBIT" ? "debit" : "credit"} of ${money(amount, currency)}`,
      detail: `Balance after it ${money(balance, currency)}${block ? `, in block ${block}` : ""}`,
    })),
    ...screening.map(({ at, decision, reasons, by }) => ({
      // Its time is in whole seconds, and it was asked after the debit.
      at: [at, debitedAt].toSorted().at(-1) as string,
      kind: "Screening",
      title: DECISIONS[decision],
      detail: [...reasons, `by ${by}`].join(", "),
    })),
    ...deliveries.map((delivery) => ({
      at: delivery.createdAt,
      kind: "Webhook",
      title: (
        <>
          {words(delivery.eventType)} event <Status of={delivery.status} />
        </>
      ),
      detail: <DeliveryDetail of={of} delivery={delivery} />,
    })),
  ];
}

interface DeliveryDetailProps {
  of: Of;
  delivery: History["deliveries"][number];
}

/** The attempts at a delivery, in short; the delivery's own page has request and answers. */
function DeliveryDetail({ of, delivery }: DeliveryDetailProps) {
  const { id, endpointId, endpointUrl, attempts, nextAttemptAt } = delivery;
  return (
    <>
      {endpointUrl && <div>To {endpointUrl}</div>}
      {attempts.map(({ at, statusCode, durationMs, error }) => (
        <div key={at}>
          <Time at={at} isExact />: {statusCode ?? "no answer"} after {durationMs} ms
          {error && ` · ${error}`}
        </div>
      ))}
      {nextAttemptAt && (
        <div>
          Next attempt: <Due at={nextAttemptAt} />
        </div>
      )}
      {endpointId && (
        <a href={href([...webhookPath(of, endpointId), "deliveries", id])}>Request and answers</a>
      )}
    </>
  );
}
