// The payments of customers, the charges of subscriptions too.

import type { Item } from "../api.ts";
import { masked } from "../format.ts";
import { Page } from "../ui/basics.tsx";
import { CURRENCY, createdColumn, ID_IN_FILE, moneyColumn, STATUS } from "../ui/columns.tsx";
import type { Filter } from "../ui/filters.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";

type Listed = Item<"GET /v1/business/{businessId}/payments">;

const FILTERS: Filter[] = [
  {
    name: "status",
    label: "Status",
    options: [
      ["PENDING", "Pending"],
      ["SUCCEEDED", "Succeeded"],
      ["FAILED", "Failed"],
    ],
  },
  { name: "paymentLinkId", label: "Payment link's id" },
  { name: "subscriptionId", label: "Subscription's id" },
];

/** Such as `Visa •••• 4242`. */
export function cardInWords(card: { brand: string; last4: string } | null): string {
  return card ? `${card.brand} ${masked(card.last4)}` : "";
}

const COLUMNS: Column<Listed>[] = [
  createdColumn(({ id }) => ["payments", id]),
  STATUS,
  moneyColumn("Amount", ({ amount }) => amount),
  moneyColumn("Refunded", ({ refunded }) => refunded),
  { title: "Customer", text: ({ customer }) => customer.email },
  { title: "Card", text: ({ card }) => cardInWords(card) },
  { title: "Fee", text: ({ fees }) => fees, isOnlyInFile: true },
  { title: "Net", text: ({ net }) => net, isOnlyInFile: true },
  CURRENCY,
  ID_IN_FILE,
];

export function PaymentsPage() {
  return (
    <Page title="Payments">
      <Listing
        endpoint="GET /v1/business/{businessId}/payments"
        fixed={{ order: "newest" }}
        filters={FILTERS}
        caption="Payments"
        columns={COLUMNS}
        empty="There is no payment yet."
      />
    </Page>
  );
}
