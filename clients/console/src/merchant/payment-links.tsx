// The payment links of the business.

import type { Item } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { money, number } from "../format.ts";
import { href } from "../router.ts";
import { may } from "../scopes.ts";
import { Copy, Page } from "../ui/basics.tsx";
import { CREATED, ID_IN_FILE, STATUS, timeColumn } from "../ui/columns.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";
import { planInWords, planOf } from "./plan.ts";

type Listed = Item<"GET /v1/business/{businessId}/payment-links">;

/** What customers of a link pay. */
export function priceOf(link: Pick<Listed, "recurringCharge" | "amount" | "currency">): string {
  const plan = planOf(link);
  return plan ? planInWords(plan) : money(String(link.amount), link.currency);
}

const COLUMNS: Column<Listed>[] = [
  {
    title: "Name",
    text: ({ name }) => name ?? "",
    cell: ({ id, name }) => <a href={href(["payment-links", id])}>{name ?? "Payment link"}</a>,
  },
  STATUS,
  { title: "Order", text: ({ orderId }) => orderId ?? "" },
  { title: "Price", text: priceOf },
  {
    title: "Payments",
    text: ({ payments }) => String(payments),
    cell: ({ payments }) => number(payments),
    isNumber: true,
  },
  CREATED,
  timeColumn("Expires", ({ application }) => application.expiredAt),
  {
    title: "URL",
    text: ({ url }) => url ?? "",
    cell: ({ url }) => url && <Copy value={url} label="Copy URL" />,
  },
  ID_IN_FILE,
];

export function PaymentLinksPage({ session }: RouteProps) {
  return (
    <Page
      title="Payment links"
      actions={
        may(session, "external.apis") && (
          <a class="button primary" href={href(["payment-links", "new"])}>
            New payment link
          </a>
        )
      }
    >
      <Listing
        endpoint="GET /v1/business/{businessId}/payment-links"
        fixed={{ order: "newest" }}
        filters={[{ name: "search", label: "Name, order or external id" }]}
        actions={
          may(session, "external.apis")
            ? ({ id }) => (
                <a href={href(["payment-links", "new"], { copy: id })}>Copy into a new link</a>
              )
            : undefined
        }
        caption="Payment links"
        columns={COLUMNS}
        empty="There is no payment link yet."
      />
    </Page>
  );
}
