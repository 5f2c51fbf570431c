// The subscriptions of the business.

import { useState } from "preact/hooks";
import type { Item } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { href } from "../router.ts";
import { Page } from "../ui/basics.tsx";
import { CREATED, ID_IN_FILE, STATUS, timeColumn } from "../ui/columns.tsx";
import type { Filter } from "../ui/filters.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";
import { planInWords } from "./plan.ts";
import { TestClock } from "./test-clock.tsx";

type Listed = Item<"GET /v1/business/{businessId}/subscriptions">;

const FILTERS: Filter[] = [
  {
    name: "status",
    label: "Status",
    options: [
      ["trialing", "In trial"],
      ["active", "Active"],
      ["past_due", "Past due"],
      ["cancelled", "Cancelled"],
    ],
  },
  { name: "paymentLinkId", label: "Payment link's id" },
];

const COLUMNS: Column<Listed>[] = [
  {
    title: "Customer",
    text: ({ customer }) => customer.email,
    cell: ({ id, customer }) => <a href={href(["subscriptions", id])}>{customer.email}</a>,
  },
  { title: "Name", text: ({ name }) => name },
  STATUS,
  { title: "Plan", text: planInWords },
  timeColumn("Next invoice", ({ nextInvoiceAt }) => nextInvoiceAt),
  CREATED,
  {
    title: "Ends",
    text: ({ cancelAt, cancelledAt }) => cancelledAt ?? cancelAt ?? "",
    isOnlyInFile: true,
  },
  ID_IN_FILE,
];

export function SubscriptionsPage({ session, visit }: RouteProps) {
  // Another key lists them anew.
  const [count, setCount] = useState(0);
  const onDone = () => setCount(count + 1);
  return (
    <Page
      title="Subscriptions"
      actions={visit.sandbox && <TestClock session={session} onDone={onDone} />}
    >
      <Listing
        key={count}
        endpoint="GET /v1/business/{businessId}/subscriptions"
        fixed={{ order: "newest" }}
        filters={FILTERS}
        caption="Subscriptions"
        columns={COLUMNS}
        empty="There is no subscription yet. Customers make one at a recurring payment link."
      />
    </Page>
  );
}
