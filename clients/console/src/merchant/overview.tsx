// The overview: the balances of the business, and charts of the last days.

import type { Session } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { money } from "../format.ts";
import { useLoad } from "../load.ts";
import { Today } from "../pages/today.tsx";
import { href } from "../router.ts";
import { may } from "../scopes.ts";
import { Flag, Loading, Page, Problem, Section } from "../ui/basics.tsx";
import { Fund, Open, Transfer } from "./balance-actions.tsx";
import { type Balances, readBalances } from "./balances.ts";
import { Charts } from "./charts.tsx";
import { MonthExport } from "./month-export.tsx";
import { readToday } from "./statistics.ts";

export function OverviewPage({ session, visit }: RouteProps) {
  const { data, error, reload } = useLoad("overview", async () => {
    const balances = await readBalances(session);
    const held = [...balances.wallets, ...balances.collectionAccounts];
    const currencies = [...new Set(held.map(({ currency }) => currency))];
    return { ...balances, currencies, today: await readToday(currencies) };
  });
  return (
    <Page
      title="Overview"
      actions={
        data && (
          <>
            {data.currencies.length > 0 && <MonthExport currencies={data.currencies} />}
            {may(session, "wallets") && <Open session={session} balances={data} onDone={reload} />}
          </>
        )
      }
    >
      <Problem error={error} />
      {!data && !error && <Loading />}
      {data && (
        <>
          {data.currencies.length > 0 && <Today rows={data.today} listPath={["transactions"]} />}
          <Section title="Wallets">
            <WalletCards {...data} session={session} isSandbox={visit.sandbox} onDone={reload} />
          </Section>
          <Section title="Collection accounts">
            <CollectionAccountCards {...data} session={session} onDone={reload} />
          </Section>
          <Charts currency={data.currencies[0] ?? "USD"} />
        </>
      )}
    </Page>
  );
}

interface CardsProps extends Balances {
  session: Session;
  onDone(): void;
}

function WalletCards(props: CardsProps & { isSandbox: boolean }) {
  const { wallets, session, isSandbox, onDone } = props;
  if (wallets.length === 0) {
    return <p class="empty">The business has no wallet of its own. Payouts are made from one.</p>;
  }
  return (
    <ul class="cards">
      {wallets.map((wallet) => (
        <li key={wallet.id} class="panel balance">
          <Balance of={wallet} path={["wallets", wallet.id]} />
          {wallet.disabled && <Flag>Disabled: it cannot be debited</Flag>}
          {isSandbox && may(session, "wallets") && <Fund wallet={wallet} onDone={onDone} />}
        </li>
      ))}
    </ul>
  );
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
          <Balance of={account} path={["collection-accounts", account.id]} />
          {may(session, "transfers") && (
            <Transfer account={account} wallets={wallets} onDone={onDone} />
          )}
        </li>
      ))}
    </ul>
  );
}

interface BalanceProps {
  of: { currency: string; balance: string };
  /** Where its statement is. */
  path: string[];
}

function Balance({ of: { currency, balance }, path }: BalanceProps) {
  return (
    <>
      <p class="sum">{money(balance, currency)}</p>
      <a href={href(path)}>Statement</a>
    </>
  );
}
