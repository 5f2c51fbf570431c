// The businesses, and one of them: its transactions and its webhook endpoints.

import { call, type Item } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { number } from "../format.ts";
import { useLoad } from "../load.ts";
import { endUsersPath } from "../pages/of-business.ts";
import { TransactionList } from "../pages/transactions.tsx";
import { WebhookList } from "../pages/webhooks.tsx";
import { href } from "../router.ts";
import { Action, NOTE } from "../ui/action.tsx";
import { Facts, Id, Page, Section, Time, WaitingPage } from "../ui/basics.tsx";
import { CREATED, ID } from "../ui/columns.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";

type Business = Item<"GET /v1/admin/businesses">;

const COLUMNS: Column<Business>[] = [
  {
    title: "Name",
    text: ({ name }) => name,
    cell: ({ id, name }) => <a href={href(["businesses", id])}>{name}</a>,
  },
  { title: "Email", text: ({ email }) => email },
  CREATED,
  ID,
];

export function BusinessesPage() {
  return (
    <Page title="Businesses" actions={<ReleaseBilling of="all businesses" />}>
      <Listing
        endpoint="GET /v1/admin/businesses"
        fixed={{ order: "newest" }}
        caption="Businesses"
        columns={COLUMNS}
        empty="There is no business yet."
      />
    </Page>
  );
}

export function BusinessPage({ params, session }: RouteProps) {
  const { businessId = "" } = params;
  const { data, error } = useLoad(businessId, () =>
    call("GET /v1/admin/businesses/{businessId}", { businessId }),
  );
  if (!data) {
    return <WaitingPage title="Business" error={error} />;
  }
  const of = { session, businessId };
  return (
    <Page
      title={data.name}
      actions={
        <>
          <a class="button" href={href(endUsersPath(of))}>
            End users
          </a>
          <ReleaseBilling of={data.name} businessId={businessId} />
        </>
      }
    >
      <Facts
        of={[
          ["Business", <Id value={businessId} />],
          ["Email", data.email],
          ["Created", <Time at={data.createdAt} />],
        ]}
      />
      <Section title="Webhook endpoints">
        <WebhookList of={of} />
      </Section>
      <Section title="Transactions">
        <TransactionList of={of} />
      </Section>
    </Page>
  );
}

/** Ends the hold of billing after a restore, of a business or of all. */
function ReleaseBilling({ of, businessId }: { of: string; businessId?: string }) {
  return (
    <Action
      label="Release billing"
      isDanger
      about={
        <p>
          After a restore, subscriptions by usage and by seats are held until their business has
          reported again. Ask it first: what is reported later is billed with a later invoice.
        </p>
      }
      fields={[NOTE]}
      confirm={() => `The due invoices of ${of} are issued and charged now. This cannot be undone.`}
      run={({ note = "" }, idempotencyKey) =>
        call(
          "POST /v1/admin/billing/release",
          { note, ...(businessId !== undefined && { businessId }) },
          { idempotencyKey },
        )
      }
      show={({ released, held }) => (
        <p>
          Released: {number(released)}. Still held, of all businesses: {number(held)}.
        </p>
      )}
      onDone={() => {}}
    />
  );
}
