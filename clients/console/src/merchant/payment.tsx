// One payment of a customer, and its refunds.

import { useState } from "preact/hooks";
import { call, type Data, type Item } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { money } from "../format.ts";
import { useLoad } from "../load.ts";
import { href } from "../router.ts";
import { may } from "../scopes.ts";
import { Action } from "../ui/action.tsx";
import {
  type Fact,
  Facts,
  Flag,
  Id,
  Money,
  Page,
  Section,
  Status,
  Time,
  WaitingPage,
} from "../ui/basics.tsx";
import { CREATED, CURRENCY, ID, moneyColumn, STATUS } from "../ui/columns.tsx";
import type { Field, Values } from "../ui/form.tsx";
import { newReference } from "../ui/idempotency-keys.ts";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";
import { cardInWords } from "./payments.tsx";

type Payment = Data<"GET /v1/business/{businessId}/payments/{id}">;
type Refund = Item<"GET /v1/business/{businessId}/payments/{id}/refunds">;

export function PaymentPage({ params, session }: RouteProps) {
  const { id = "" } = params;
  const loaded = useLoad(id, () => call("GET /v1/business/{businessId}/payments/{id}", { id }));
  const { data, reload } = loaded;
  if (!data) {
    return <WaitingPage title="Payment" error={loaded.error} />;
  }
  const { status, amount, currency, refunded, needsAttention, customer } = data;
  const isRefundable = status === "SUCCEEDED" && refunded !== amount;
  return (
    <Page
      title={`Payment of ${money(amount, currency)} by ${customer.email}`}
      beside={
        <>
          <Status of={status} />
          {needsAttention && <Flag>Needs attention</Flag>}
        </>
      }
      actions={
        <>
          {isRefundable && may(session, "refunds") && <RefundPayment of={data} onDone={reload} />}
          <a class="button" href={href(["transactions", id])}>
            Timeline
          </a>
        </>
      }
      loaded={loaded}
    >
      <Facts of={factsOf(data)} />
      <Section title="Refunds">
        <Listing
          // Another refund lists them anew.
          key={refunded}
          endpoint="GET /v1/business/{businessId}/payments/{id}/refunds"
          fixed={{ id, order: "newest" }}
          caption="Refunds"
          columns={REFUND_COLUMNS}
          empty="There is no refund."
        />
      </Section>
    </Page>
  );
}

function factsOf(payment: Payment): Fact[] {
  const { amount, fees, net, refunded, currency, card, customer, metadata } = payment;
  const { paymentLinkId, subscriptionId, invoiceId } = payment;
  return [
    ["Payment", <Id value={payment.id} />],
    ["Amount", <Money amount={amount} currency={currency} />],
    ["Fee, in the amount", <Money amount={fees} currency={currency} />],
    ["Net, in the collection account", <Money amount={net} currency={currency} />],
    ["Refunded", <Money amount={refunded} currency={currency} />],
    ["Why it failed", payment.reason],
    ["Customer", `${customer.firstName} ${customer.lastName}`],
    ["Email", customer.email],
    ["Phone", customer.phone],
    ["Card", cardInWords(card)],
    ["Payment link", <a href={href(["payment-links", paymentLinkId])}>Open</a>],
    ["Subscription", subscriptionId && <a href={href(["subscriptions", subscriptionId])}>Open</a>],
    [
      "Invoice",
      subscriptionId && invoiceId && (
        <a href={href(["subscriptions", subscriptionId, "invoices", invoiceId])}>Open</a>
      ),
    ],
    ["Order", payment.orderId],
    ["External id", payment.externalId],
    ["Delivery address", metadata.itemDeliveryAddress],
    ["Created", <Time at={payment.createdAt} />],
    ["Last changed", <Time at={payment.updatedAt} />],
    ...Object.entries({ ...metadata.customData, ...metadata.fields }),
  ];
}

const REFUND_COLUMNS: Column<Refund>[] = [
  CREATED,
  STATUS,
  moneyColumn("Amount", ({ amount }) => amount),
  moneyColumn("Fee returned", ({ feesReturned }) => feesReturned),
  CURRENCY,
  { title: "Reference", text: ({ reference }) => reference },
  { title: "Why it failed", text: ({ reason }) => reason ?? "" },
  ID,
];

const refundFields = (): Field[] => [
  {
    name: "part",
    label: "How much",
    kind: "choice",
    options: [
      ["rest", "All that is not refunded yet"],
      ["part", "A part"],
    ],
  },
  {
    name: "amount",
    label: "Amount",
    kind: "number",
    step: "0.01",
    isShown: ({ part }) => part === "part",
  },
  {
    name: "reference",
    label: "Reference",
    initial: newReference("refund"),
    hint: "Your id of the refund: keep this one, or use yours. The same reference refunds once.",
  },
];

function RefundPayment({ of, onDone }: { of: Payment; onDone(): void }) {
  const { id, amount, refunded, currency, card, customer } = of;
  const [fields, setFields] = useState(refundFields);
  const rest = (Number(amount) - Number(refunded)).toFixed(2);
  const question = ({ amount: part }: Values) =>
    `${money(part ?? rest, currency)} goes back to ${customer.email}, ${cardInWords(card)}. ` +
    "This cannot be undone.";
  return (
    <Action
      label="Refund"
      isDanger
      about={
        <p>
          Up to {money(rest, currency)} can go back to the card. The collection account is debited,
          less the part of the fee that you get back.
        </p>
      }
      fields={fields}
      confirm={question}
      run={({ amount: part, reference = "" }, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/payments/{id}/refunds",
          { id, reference, ...(part && { amount: Number(part) }) },
          { idempotencyKey },
        )
      }
      show={(refund) => <Outcome of={refund} />}
      onDone={() => {
        setFields(refundFields());
        onDone();
      }}
    />
  );
}

/** A refund may be refused, or its outcome not known yet. */
function Outcome({ of: { status, amount, currency, reason } }: { of: Refund }) {
  const text = {
    SUCCEEDED: `${money(amount, currency)} is on its way to the customer.`,
    PENDING: "The outcome is not known yet. The list of refunds will show it.",
    FAILED: `${reason ?? "It was refused."} The money is back in your account.`,
  }[status];
  return (
    <>
      <p>
        <Status of={status} />
      </p>
      <p>{text}</p>
    </>
  );
}
