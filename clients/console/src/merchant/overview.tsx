// The overview: what was made today, the balances of the business and of its end users, and charts
// of the last days.

import { call, type Session } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { money } from "../format.ts";
import { useLoad } from "../load.ts";
import { Today } from "../pages/today.tsx";
import { WalletCards } from "../pages/wallets.tsx";
import { href } from "../router.ts";
import { may } from "../scopes.ts";
import { Loading, Page, Problem, Section } from "../ui/basics.tsx";
import { Fund, Open, Transfer } from "./balance-actions.tsx";
import { type Balances, readBalances } from "./balances.ts";
import { Charts } from "./charts.tsx";
import { MonthExport } from "./month-export.tsx";
import { readToday } from "./statistics.ts";

export function OverviewPage({ session, visit }: RouteProps) {
  const { data, error, reload } = useLoad("balances", () => readBalances(session));
  const held = data ? [...data.wallets, ...data.collectionAccounts] : [];
  const currencies = [...new Set(held.map(({ currency }) => currency))];
  return (
    <Page
      title="Overview"
      actions={
        data && (
          <>
            {currencies.length > 0 && <MonthExport currencies={currencies} />}
            {may(session, "wallets") && <Open session={session} balances={data} onDone={reload} />}
          </>
        )
      }
    >
      <Problem error={error} />
      {!data && !error && <Loading />}
      {data && (
        <>
          <TodayOf currencies={currencies} />
          <Section title="Wallets">
            <WalletCards
              of={{ session, businessId: session.id }}
              wallets={data.wallets}
              empty="The business has no wallet of its own. Payouts are made from one."
              {...(visit.sandbox &&
                may(session, "wallets") && {
                  actions: (wallet) => <Fund wallet={wallet} onDone={reload} />,
                })}
            />
          </Section>
          <Section title="Collection accounts">
            <CollectionAccountCards {...data} session={session} onDone={reload} />
          </Section>
          <EndUsersTogether />
          <Charts currency={currencies[0] ?? "USD"} />
        </>
      )}
    </Page>
  );
}

/** @param currencies those that the business holds; its end users are paid out in dollars */
function TodayOf({ currencies }: { currencies: string[] }) {
  const all = [...new Set(["USD", ...currencies])];
  const { data, error } = useLoad(all.join(" "), () => readToday(all));
  return (
    <>
      <Problem error={error} />
      <Today rows={data} listPath={["transactions"]} />
    </>
  );
}

/** What the end users hold, in the currencies in which they hold anything. */
function EndUsersTogether() {
  const { data, error } = useLoad("end users", () =>
    call("GET /v1/business/{businessId}/balances", {}),
  );
  const held = data?.filter(({ entities }) => Number(entities) !== 0) ?? [];
  if (held.length === 0) return <Problem error={error} />;
  return (
    <Section title="Wallets of end users, together">
      <ul class="cards">
        {held.map(({ currency, entities }) => (
          <li key={currency} class="panel">
            <p class="sum">{money(entities, currency)}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface CardsProps extends Balances {
  session: Session;
  onDone(): void;
}

function CollectionAccountCards(props: CardsProps) {
  const { wallets, collectionAccounts, session, onDone } = props;
  if (collectionAccounts.length === 0) {
    return (
      <p class="empty">There is no collection account. Customers of payment links pay into one.</p>
    );
  }
  return (
    <ul class="cards">
      {collectionAccounts.map((account) => (
        <li key={account.id} class="panel balance">
          <p class="sum">{money(account.balance, account.currency)}</p>
          <a href={href(["collection-accounts", account.id])}>Statement</a>
          {may(session, "transfers") && (
            <Transfer account={account} wallets={wallets} onDone={onDone} />
          )}
        </li>
      ))}
    </ul>
  );
}
