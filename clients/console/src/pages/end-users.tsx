// The end users of a business: the list, and one of them with wallets, linked accounts and payouts.

import { call, type Data, readPage } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { useLoad } from "../load.ts";
import { ACCOUNT_COLUMNS } from "../merchant/linked-accounts.tsx";
import { mask } from "../merchant/masked-account.ts";
import { FreezeEndUser } from "../operator/freeze.tsx";
import { WalletActions } from "../operator/wallet-actions.tsx";
import { href } from "../router.ts";
import { Facts, Flag, Id, Page, Section, Time, WaitingPage } from "../ui/basics.tsx";
import { CREATED, ID } from "../ui/columns.tsx";
import type { Filter } from "../ui/filters.tsx";
import { Listing } from "../ui/listing.tsx";
import { BusinessName } from "../ui/names.tsx";
import type { Column } from "../ui/table.tsx";
import { LimitUse } from "./limits.tsx";
import {
  endUserPath,
  endUsersPath,
  nameOf,
  type Of,
  readBy,
  transactionsPath,
} from "./of-business.ts";
import { transactionColumns } from "./transactions.tsx";
import { WalletCards } from "./wallets.tsx";

type EndUser = Data<"GET /v1/business/{businessId}/entities/{entityId}">;

const FILTERS: Filter[] = [{ name: "search", label: "Email or external id" }];

export function endUserColumns(of: Of): Column<EndUser>[] {
  return [
    {
      title: "Email",
      text: ({ email }) => email,
      cell: (user) => (
        <>
          <a href={href(endUserPath(of, user.id))}>{nameOf(user)}</a>{" "}
          {user.erasedAt && <Flag>Erased</Flag>} {user.frozen && <Flag>Frozen</Flag>}
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
  const isOperator = session.role === "admin";
  return (
    <Page
      title="End users"
      about={
        isOperator ? <BusinessName id={businessId} /> : "The people and companies that you pay."
      }
    >
      <Listing
        endpoint={readBy(of, "GET /v1/admin/businesses/{businessId}/entities")}
        fixed={{ businessId, order: "newest" }}
        filters={FILTERS}
        caption="End users"
        columns={endUserColumns(of)}
        empty="There is no end user yet."
      />
    </Page>
  );
}

export function EndUserPage({ params, session }: RouteProps) {
  const { entityId = "", businessId = session.id } = params;
  const of: Of = { session, businessId };
  const isOperator = session.role === "admin";
  const key = { businessId, entityId };
  const loaded = useLoad(`${businessId} ${entityId}`, async () => {
    const [user, wallets] = await Promise.all([
      call(readBy(of, "GET /v1/admin/businesses/{businessId}/entities/{entityId}"), key),
      // There is at most one in a currency.
      readPage(readBy(of, "GET /v1/admin/businesses/{businessId}/wallets"), key),
    ]);
    // The lists below are read again with it.
    return { user, wallets: wallets.items, readAt: Date.now() };
  });
  const { data } = loaded;
  if (!data) {
    return <WaitingPage title="End user" error={loaded.error} />;
  }
  const { user, wallets, readAt } = data;
  return (
    <Page
      title={nameOf(user)}
      beside={
        <>
          {user.erasedAt && <Flag>Erased</Flag>}
          {user.frozen && <Flag>Frozen by the operator: nothing is paid</Flag>}
        </>
      }
      actions={
        <>
          <a class="button" href={href(endUsersPath(of))}>
            All end users
          </a>
          {isOperator && (
            <FreezeEndUser businessId={businessId} user={user} onDone={loaded.reload} />
          )}
        </>
      }
      loaded={loaded}
    >
      <Facts
        of={[
          ["Email", !user.erasedAt && user.email],
          ["External id", user.externalIdentifier],
          ["Business", isOperator && <BusinessName id={businessId} />],
          ["End user", <Id value={entityId} />],
          ["Created", <Time at={user.createdAt} />],
          ["Personal data erased", user.erasedAt && <Time at={user.erasedAt} />],
        ]}
      />
      <Section title="Wallets">
        <WalletCards
          of={of}
          wallets={wallets}
          empty="There is no wallet yet."
          {...(isOperator && {
            actions: (wallet) => <WalletActions wallet={wallet} onDone={loaded.reload} />,
          })}
        />
      </Section>
      {wallets.map(({ currency }) => (
        <Section key={currency} title={`Linked accounts in ${currency}`}>
          <Listing
            key={readAt}
            endpoint="GET /v1/business/{businessId}/linked-accounts/{currency}"
            fixed={{ ...key, currency, order: "newest" }}
            caption={`Linked accounts in ${currency}`}
            columns={ACCOUNT_COLUMNS}
            pick={mask}
            actions={({ id: linkedAccountId }) => (
              <a href={href(transactionsPath(of), { linkedAccountId })}>Payouts to it</a>
            )}
            empty="There is no linked account."
          />
        </Section>
      ))}
      <Section title="Payouts from these wallets">
        <Listing
          key={readAt}
          endpoint={readBy(of, "GET /v1/admin/businesses/{businessId}/transactions")}
          fixed={{ ...key, flow: "WITHDRAWAL" }}
          caption="Payouts from these wallets"
          columns={transactionColumns(of)}
          empty="There is no payout from these wallets. Those from the business's wallet are with the linked account."
        />
      </Section>
      {isOperator && (
        <Section title="Use of all limits">
          <LimitUse key={readAt} of={of} entityId={entityId} />
        </Section>
      )}
    </Page>
  );
}
