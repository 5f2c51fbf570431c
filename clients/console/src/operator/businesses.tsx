// The businesses, and one of them: its wallets, its transactions and its webhook endpoints.

import { useState } from "preact/hooks";
import { call, type Item, readPage } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { number } from "../format.ts";
import { useLoad } from "../load.ts";
import { Credentials } from "../merchant/api-client-actions.tsx";
import { endUsersPath, limitsPath } from "../pages/of-business.ts";
import { TransactionList } from "../pages/transactions.tsx";
import { WalletCards } from "../pages/wallets.tsx";
import { WebhookList } from "../pages/webhooks.tsx";
import { href } from "../router.ts";
import { Action, NOTE } from "../ui/action.tsx";
import { Facts, Id, Page, Problem, Section, Status, Time, WaitingPage } from "../ui/basics.tsx";
import { CREATED, ID } from "../ui/columns.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";
import { Controls } from "./controls.tsx";
import { WalletActions } from "./wallet-actions.tsx";

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
  // Another key lists them anew.
  const [count, setCount] = useState(0);
  return (
    <Page
      title="Businesses"
      actions={
        <>
          <ReleaseBilling of="all businesses" />
          <NewBusiness onDone={() => setCount(count + 1)} />
        </>
      }
    >
      <Listing
        key={count}
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
  const { data, error, reload } = useLoad(businessId, async () => {
    const [business, { status }, wallets] = await Promise.all([
      call("GET /v1/admin/businesses/{businessId}", { businessId }),
      call("GET /v1/admin/businesses/{businessId}/controls", { businessId }),
      // There is at most one in a currency.
      readPage("GET /v1/admin/businesses/{businessId}/wallets", {
        businessId,
        entityId: businessId,
      }),
    ]);
    // The lists below are read again with it.
    return { business, status, wallets: wallets.items, readAt: Date.now() };
  });
  if (!data) {
    return <WaitingPage title="Business" error={error} />;
  }
  const { business, status, wallets, readAt } = data;
  const of = { session, businessId };
  return (
    <Page
      title={business.name}
      beside={<Status of={status} />}
      actions={
        <>
          <a class="button" href={href(endUsersPath(of))}>
            End users
          </a>
          <a class="button" href={href(limitsPath(of))}>
            Limits
          </a>
          <Controls business={business} status={status} onDone={reload} />
          <ReleaseBilling of={business.name} businessId={businessId} />
        </>
      }
    >
      <Problem error={error} />
      <Facts
        of={[
          ["Business", <Id value={businessId} />],
          ["Email", business.email],
          ["Created", <Time at={business.createdAt} />],
        ]}
      />
      <Section title="Wallets of the business itself">
        <WalletCards
          of={of}
          wallets={wallets}
          empty="The business has no wallet of its own. Those of its end users are on their pages."
          actions={(wallet) => <WalletActions wallet={wallet} onDone={reload} />}
        />
      </Section>
      <Section title="Webhook endpoints">
        <WebhookList of={of} />
      </Section>
      <Section title="Transactions">
        <TransactionList key={readAt} of={of} />
      </Section>
    </Page>
  );
}

/** Its first API client has a secret, which is shown once. */
function NewBusiness({ onDone }: { onDone(): void }) {
  return (
    <Action
      label="New business"
      isPrimary
      about={<p>A business with its first API client, with which it signs in here too.</p>}
      fields={[
        { name: "name", label: "Name" },
        { name: "email", label: "Email", kind: "email" },
      ]}
      run={({ name = "", email = "" }, idempotencyKey) =>
        call("POST /v1/admin/businesses", { name, email }, { idempotencyKey })
      }
      show={({ id, clientId, clientSecret }) => (
        <Credentials business={id} id={clientId} clientSecret={clientSecret} />
      )}
      onDone={onDone}
    />
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
