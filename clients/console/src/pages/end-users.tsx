// The end users of a business: the list, and one of them with wallets, linked accounts and payouts.

import { call, type Data, type Item, readPage } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { money } from "../format.ts";
import { useLoad } from "../load.ts";
import { ACCOUNT_COLUMNS } from "../merchant/linked-accounts.tsx";
import { mask } from "../merchant/masked-account.ts";
import { href } from "../router.ts";
import { Facts, Flag, Id, Page, Problem, Section, Time, WaitingPage } from "../ui/basics.tsx";
import { CREATED, ID } from "../ui/columns.tsx";
import type { Filter } from "../ui/filters.tsx";
import { Listing } from "../ui/listing.tsx";
import { BusinessName } from "../ui/names.tsx";
import type { Column } from "../ui/table.tsx";
import { endUserPath, endUsersPath, nameOf, type Of } from "./of-business.ts";
import { transactionColumns } from "./transactions.tsx";

type EndUser = Data<"GET /v1/business/{businessId}/entities/{entityId}">;
type Wallet = Item<"GET /v1/business/{businessId}/wallets">;

const FILTERS: Filter[] = [{ name: "search", label: "Email or external id" }];

function columnsFor(of: Of): Column<EndUser>[] {
  return [
    {
      title: "Email",
      text: ({ email }) => email,
      cell: (user) => (
        <>
          <a href={href(endUserPath(of, user.id))}>{nameOf(user)}</a>{" "}
          {user.erasedAt && <Flag>Erased</Flag>}
        </>
      ),
    },
    { title: "External id", text: ({ externalIdentifier }) => externalIdentifier ?? "" },
    CREATED,
    ID,
  ];
}

export function EndUsersPage({ params, session }: RouteProps) {
  const { businessId = session.id } = params;
  const of: Of = { session, businessId };
  const shared = {
    filters: FILTERS,
    caption: "End users",
    columns: columnsFor(of),
    empty: "There is no end user yet.",
  };
  return session.role === "admin" ? (
    <Page title="End users" about={<BusinessName id={businessId} />}>
      <Listing
        endpoint="GET /v1/admin/businesses/{businessId}/entities"
        fixed={{ businessId, order: "newest" }}
        {...shared}
      />
    </Page>
  ) : (
    <Page title="End users" about="The people and companies that you pay.">
      <Listing
        endpoint="GET /v1/business/{businessId}/entities"
        fixed={{ order: "newest" }}
        {...shared}
      />
    </Page>
  );
}

export function EndUserPage({ params, session }: RouteProps) {
  const { entityId = "", businessId = session.id } = params;
  const of: Of = { session, businessId };
  const { data, error, reload } = useLoad(`${businessId} ${entityId}`, async () => {
    const [user, wallets] = await Promise.all([
      readEndUser(of, entityId),
      readWallets(of, entityId),
    ]);
    // The lists below are read again with it.
    return { user, wallets, readAt: Date.now() };
  });
  if (!data) {
    return <WaitingPage title="End user" error={error} />;
  }
  const { user, wallets, readAt } = data;
  // The business of a merchant's session would be added by itself.
  const named = { businessId };
  return (
    <Page
      title={nameOf(user)}
      beside={user.erasedAt && <Flag>Erased</Flag>}
      actions={
        <>
          <a class="button" href={href(endUsersPath(of))}>
            All end users
          </a>
          <button type="button" onClick={reload}>
            Refresh
          </button>
        </>
      }
    >
      <Problem error={error} />
      <Facts
        of={[
          ["Email", user.email],
          ["External id", user.externalIdentifier],
          ["Business", session.role === "admin" && <BusinessName id={businessId} />],
          ["End user", <Id value={entityId} />],
          ["Created", <Time at={user.createdAt} />],
          ["Personal data erased", user.erasedAt && <Time at={user.erasedAt} />],
        ]}
      />
      <Section title="Wallets">
        <Wallets of={of} wallets={wallets} />
      </Section>
      {wallets.map(({ currency }) => (
        <Section key={currency} title={`Linked accounts in ${currency}`}>
          <Listing
            key={readAt}
            endpoint="GET /v1/business/{businessId}/linked-accounts/{currency}"
            fixed={{ ...named, currency, entityId, order: "newest" }}
            caption={`Linked accounts in ${currency}`}
            columns={ACCOUNT_COLUMNS}
            pick={mask}
            empty="There is no linked account."
          />
        </Section>
      ))}
      <Section title="Payouts">
        <Payouts key={readAt} of={of} entityId={entityId} />
      </Section>
    </Page>
  );
}

function readEndUser({ session, businessId }: Of, entityId: string): Promise<EndUser> {
  return session.role === "admin"
    ? call("GET /v1/admin/businesses/{businessId}/entities/{entityId}", { businessId, entityId })
    : call("GET /v1/business/{businessId}/entities/{entityId}", { entityId });
}

/** There is at most one in a currency. */
async function readWallets({ session, businessId }: Of, entityId: string): Promise<Wallet[]> {
  const { items } =
    session.role === "admin"
      ? await readPage("GET /v1/admin/businesses/{businessId}/wallets", { businessId, entityId })
      : await readPage("GET /v1/business/{businessId}/wallets", { entityId });
  return items;
}

function Wallets({ of, wallets }: { of: Of; wallets: Wallet[] }) {
  if (wallets.length === 0) return <p class="empty">There is no wallet yet.</p>;
  return (
    <ul class="cards">
      {wallets.map(({ id, balance, currency, disabled }) => (
        <li key={id} class="panel balance">
          <p class="sum">{money(balance, currency)}</p>
          {disabled && <Flag>Disabled: it cannot be debited</Flag>}
          {of.session.role === "admin" ? (
            <Id value={id} short />
          ) : (
            <a href={href(["wallets", id])}>Statement</a>
          )}
        </li>
      ))}
    </ul>
  );
}

function Payouts({ of, entityId }: { of: Of; entityId: string }) {
  const shared = {
    caption: "Payouts",
    columns: transactionColumns(of),
    empty: "There is no payout yet.",
  };
  return of.session.role === "admin" ? (
    <Listing
      endpoint="GET /v1/admin/businesses/{businessId}/transactions"
      fixed={{ businessId: of.businessId, entityId, flow: "WITHDRAWAL" }}
      {...shared}
    />
  ) : (
    <Listing
      endpoint="GET /v1/business/{businessId}/transactions"
      fixed={{ entityId, flow: "WITHDRAWAL" }}
      {...shared}
    />
  );
}
