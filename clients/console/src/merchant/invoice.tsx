// One invoice of a subscription: its lines, and the attempts to charge it.

import { call, type Data } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { number } from "../format.ts";
import { useLoad } from "../load.ts";
import { href } from "../router.ts";
import { Facts, Id, Money, Page, Section, Status, Time, WaitingPage } from "../ui/basics.tsx";
import { type Column, Table } from "../ui/table.tsx";

type Invoice = Data<"GET /v1/business/{businessId}/subscriptions/{id}/invoices/{invoiceId}">;
type Attempt = Invoice["attempts"][number];

export function InvoicePage({ params }: RouteProps) {
  const { id = "", invoiceId = "" } = params;
  const loaded = useLoad(invoiceId, () =>
    call("GET /v1/business/{businessId}/subscriptions/{id}/invoices/{invoiceId}", {
      id,
      invoiceId,
    }),
  );
  const { data } = loaded;
  if (!data) {
    return <WaitingPage title="Invoice" error={loaded.error} />;
  }
  const { number: count, status, total, charged, currency } = data;
  return (
    <Page
      title={`Invoice ${count}`}
      beside={<Status of={status} />}
      actions={
        <a class="button" href={href(["subscriptions", id])}>
          Subscription
        </a>
      }
      loaded={loaded}
    >
      <Facts
        of={[
          ["Invoice", <Id value={invoiceId} />],
          ["Total", <Money amount={total} currency={currency} />],
          ["Charged to the card", <Money amount={charged} currency={currency} />],
          ["From", <Time at={data.periodStart} />],
          ["Until", <Time at={data.periodEnd} />],
          ["Issued", <Time at={data.issuedAt} />],
          ["Paid", data.paidAt && <Time at={data.paidAt} />],
          ["Next attempt", data.nextAttemptAt && <Time at={data.nextAttemptAt} />],
        ]}
      />
      <Section title="Lines">
        <InvoiceLines of={data} />
      </Section>
      <Section title="Attempts">
        {data.attempts.length === 0 ? (
          <p class="empty">The card was not charged.</p>
        ) : (
          <Table
            caption="Attempts"
            columns={ATTEMPT_COLUMNS}
            items={data.attempts}
            idOf={({ paymentId }) => paymentId}
          />
        )}
      </Section>
    </Page>
  );
}

const ATTEMPT_COLUMNS: Column<Attempt>[] = [
  { title: "At", text: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
  { title: "Status", text: ({ status }) => status, cell: ({ status }) => <Status of={status} /> },
  { title: "Why it failed", text: ({ reason }) => reason ?? "" },
  {
    title: "Payment",
    text: ({ paymentId }) => paymentId,
    cell: ({ paymentId }) => <a href={href(["payments", paymentId])}>Open</a>,
  },
];

/** What an invoice, or the preview of one, charges. */
export function InvoiceLines({
  of: { lines, currency },
}: {
  of: Pick<Invoice, "lines" | "currency">;
}) {
  if (lines.length === 0) return <p class="empty">There is no line.</p>;
  type Line = Invoice["lines"][number] & { place: number };
  const columns: Column<Line>[] = [
    { title: "Description", text: ({ description }) => description },
    { title: "Quantity", text: ({ quantity }) => number(quantity), isNumber: true },
    {
      title: "Price of one",
      text: ({ unitAmount }) => unitAmount,
      cell: ({ unitAmount }) => <Money amount={unitAmount} currency={currency} />,
      isNumber: true,
    },
    {
      title: "Amount",
      text: ({ amount }) => amount,
      cell: ({ amount }) => <Money amount={amount} currency={currency} />,
      isNumber: true,
    },
  ];
  return (
    <Table
      caption="Lines"
      columns={columns}
      items={lines.map((line, place) => ({ ...line, place }))}
      idOf={({ place }) => String(place)}
    />
  );
}
