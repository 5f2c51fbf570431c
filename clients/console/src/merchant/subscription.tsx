// One subscription: its state, its next invoice, its invoices and its usage.

import { call, type Item, PayrailError } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { dateTime, number } from "../format.ts";
import { useLoad } from "../load.ts";
import { href } from "../router.ts";
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
import { CURRENCY, ID_IN_FILE, moneyColumn, STATUS, timeColumn } from "../ui/columns.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";
import { InvoiceLines } from "./invoice.tsx";
import { cardInWords } from "./payments.tsx";
import { planInWords, SEAT_BILLING, type Subscription } from "./plan.ts";
import { SubscriptionActions } from "./subscription-actions.tsx";

type Invoice = Item<"GET /v1/business/{businessId}/subscriptions/{id}/invoices">;
type Usage = Item<"GET /v1/business/{businessId}/subscriptions/{id}/usage">;

export function SubscriptionPage({ params, session, visit }: RouteProps) {
  const { id = "" } = params;
  const loaded = useLoad(id, async () => {
    const [subscription, preview] = await Promise.all([
      call("GET /v1/business/{businessId}/subscriptions/{id}", { id }),
      readPreview(id),
    ]);
    // The lists below are read again with it.
    return { subscription, preview, readAt: Date.now() };
  });
  const { data, reload } = loaded;
  if (!data) {
    return <WaitingPage title="Subscription" error={loaded.error} />;
  }
  const { subscription, preview, readAt } = data;
  const { name, customer, status, needsAttention, type, heldSince } = subscription;
  return (
    <Page
      title={`${name} of ${customer.email}`}
      beside={
        <>
          <Status of={status} />
          {needsAttention && <Flag>Needs attention</Flag>}
          {heldSince && <Flag>Billing held</Flag>}
        </>
      }
      actions={
        <SubscriptionActions
          session={session}
          subscription={subscription}
          isSandbox={visit.sandbox}
          onDone={reload}
        />
      }
      about={stateOf(subscription)}
      loaded={loaded}
    >
      {heldSince && (
        <p class="about">
          Its billing is held since <Time at={heldSince} />, after a restore: no invoice is issued
          until your provider releases it. Report again what has happened since the restore point.
        </p>
      )}
      <Facts of={factsOf(subscription)} />
      <Section title="Next invoice">
        {preview ? (
          <>
            <p class="about">
              As it would be now: <Money amount={preview.total} currency={preview.currency} /> for
              the period from <Time at={preview.periodStart} /> until{" "}
              <Time at={preview.periodEnd} />.
            </p>
            <InvoiceLines of={preview} />
          </>
        ) : (
          <p class="empty">There is no next invoice.</p>
        )}
      </Section>
      <Section title="Invoices">
        <Listing
          key={readAt}
          endpoint="GET /v1/business/{businessId}/subscriptions/{id}/invoices"
          fixed={{ id, order: "newest" }}
          caption="Invoices"
          columns={INVOICE_COLUMNS}
          empty="There is no invoice yet."
        />
      </Section>
      {type === "consumption" && (
        <Section title="Usage">
          <Listing
            key={readAt}
            endpoint="GET /v1/business/{businessId}/subscriptions/{id}/usage"
            fixed={{ id }}
            caption="Usage"
            columns={USAGE_COLUMNS}
            empty="No usage was recorded yet."
          />
        </Section>
      )}
    </Page>
  );
}

/** The next invoice; null if there is none. */
function readPreview(id: string) {
  return call("GET /v1/business/{businessId}/subscriptions/{id}/preview", { id }).catch(
    (error: unknown) => {
      if (error instanceof PayrailError && error.code === "no_next_invoice") return null;
      throw error;
    },
  );
}

/** The state of a subscription in words. */
function stateOf(subscription: Subscription): string {
  const { status, startDate, nextInvoiceAt, cancelAt, cancelledAt, cancelReason } = subscription;
  const end = cancelAt ? ` It ends on ${dateTime(cancelAt)}.` : "";
  switch (status) {
    case "trialing":
      return `In its trial until ${dateTime(startDate)}; nothing is charged before.${end}`;
    case "active":
      return `Its invoices are paid. ${nextInvoiceAt ? `The next one is issued on ${dateTime(nextInvoiceAt)}.` : ""}${end}`;
    case "past_due":
      return `A charge failed. payrail tries the card again, and cancels the subscription after the last attempt.${end}`;
    case "cancelled": {
      const why =
        cancelReason === "unpaid" ? "because its invoice was not paid" : "at your request";
      return `Cancelled on ${dateTime(cancelledAt ?? "")}, ${why}.`;
    }
  }
}

function factsOf(subscription: Subscription): Fact[] {
  const { id, customer, card, currentPeriod, seats, seatDetails, openInvoiceId } = subscription;
  return [
    ["Subscription", <Id value={id} />],
    ["Plan", planInWords(subscription)],
    ["Seats", seats === null ? null : number(seats)],
    ["Changes of seats", seatDetails && SEAT_BILLING[seatDetails.newSeatBillingType]],
    ["Customer", `${customer.firstName} ${customer.lastName}`],
    ["Email", customer.email],
    ["Phone", customer.phone],
    ["Card", cardInWords(card)],
    ["This period began", currentPeriod && <Time at={currentPeriod.periodStart} />],
    ["This period ends", currentPeriod && <Time at={currentPeriod.periodEnd} />],
    [
      "Open invoice",
      openInvoiceId && <a href={href(["subscriptions", id, "invoices", openInvoiceId])}>Open</a>,
    ],
    ["Payments", <a href={href(["payments"], { subscriptionId: id })}>List</a>],
    ["Payment link", <a href={href(["payment-links", subscription.paymentLinkId])}>Open</a>],
    ["Product", subscription.productId],
    ["Order", subscription.orderId],
    ["External id", subscription.externalId],
    ["Start of the first period", <Time at={subscription.startDate} />],
    ["Created", <Time at={subscription.createdAt} />],
  ];
}

const INVOICE_COLUMNS: Column<Invoice>[] = [
  {
    title: "Number",
    text: ({ number: count }) => String(count),
    cell: ({ id, number: count, subscriptionId }) => (
      <a href={href(["subscriptions", subscriptionId, "invoices", id])}>Invoice&nbsp;{count}</a>
    ),
  },
  STATUS,
  moneyColumn("Total", ({ total }) => total),
  moneyColumn("Charged", ({ charged }) => charged),
  CURRENCY,
  timeColumn("From", ({ periodStart }) => periodStart),
  timeColumn("Until", ({ periodEnd }) => periodEnd),
  timeColumn("Issued", ({ issuedAt }) => issuedAt),
  timeColumn("Next attempt", ({ nextAttemptAt }) => nextAttemptAt),
  ID_IN_FILE,
];

const USAGE_COLUMNS: Column<Usage>[] = [
  timeColumn("Used", ({ at }) => at),
  {
    title: "Units",
    text: ({ units }) => String(units),
    cell: ({ units }) => number(units),
    isNumber: true,
  },
  { title: "Reference", text: ({ reference }) => reference },
  timeColumn("Counts from", ({ periodStart }) => periodStart),
  timeColumn("Until", ({ periodEnd }) => periodEnd),
  { title: "Late", text: ({ late }) => (late ? "Yes, its own period was invoiced already" : "") },
  ID_IN_FILE,
];
