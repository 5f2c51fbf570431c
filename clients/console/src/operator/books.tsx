// The books: where the money is now, whether it sums to zero, and the last verification.

import { call, type Data } from "../api.ts";
import { age, duration, number, words } from "../format.ts";
import { useLoad } from "../load.ts";
import { Facts, Loading, Money, Page, Problem, Section, Status, Time } from "../ui/basics.tsx";
import { type Column, Table } from "../ui/table.tsx";

type Books = Data<"GET /v1/admin/books">;
type CurrencyBooks = Books["currencies"][number];
type Verification = Data<"GET /v1/admin/verification">;

export function BooksPage() {
  // They are read immediately, but the sums may take longer, because they read all accounts.
  const verification = useLoad("verification", () => call("GET /v1/admin/verification", {}));
  const books = useLoad("books", () => call("GET /v1/admin/books", {}));
  const reload = () => {
    verification.reload();
    books.reload();
  };
  return (
    <Page
      title="Books"
      actions={
        <button type="button" onClick={reload}>
          Refresh
        </button>
      }
    >
      <Section title="Last verification">
        <Problem error={verification.error} />
        {!verification.data && !verification.error && <Loading />}
        {verification.data && <LastVerification of={verification.data} />}
      </Section>
      <Section title="Where the money is">
        <Problem error={books.error} />
        {!books.data && !books.error && <Loading />}
        {books.data && <Sums books={books.data} />}
      </Section>
    </Page>
  );
}

function LastVerification({ of }: { of: Verification }) {
  const { startedAt, finishedAt, overdue, ok, version, violationCount, rules, violations } = of;
  if (finishedAt === null) {
    return (
      <p class="empty">
        No verification is recorded. <code>npm run verify -- --record</code> records one.
      </p>
    );
  }
  return (
    <>
      <Facts
        of={[
          ["Result", <Status of={ok ? "books right" : "books wrong"} />],
          [
            "Ended",
            <>
              <Time at={finishedAt} /> <span class="quiet">{age(finishedAt)} ago</span>{" "}
              {overdue && <Status of="overdue" />}
            </>,
          ],
          ["Took", startedAt && duration((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000)],
          ["Violations", number(violationCount ?? 0)],
          ["Documents checked", number(rules.reduce((all, { checked }) => all + checked, 0))],
          ["Version of payrail", version],
        ]}
      />
      {violations.length > 0 && (
        <Table
          caption="Violations"
          columns={VIOLATIONS}
          items={violations}
          idOf={({ rule, detail }) => `${rule} ${detail}`}
        />
      )}
    </>
  );
}

const VIOLATIONS: Column<Verification["violations"][number]>[] = [
  { title: "Rule", text: ({ rule }) => words(rule) },
  { title: "What violates it", text: ({ detail }) => detail },
];

function Sums({ books: { at, balanced, currencies, lag } }: { books: Books }) {
  return (
    <>
      <Facts
        of={[
          ["All of one moment", <Time at={at} />],
          ["Sums", <Status of={balanced ? "balanced" : "not balanced"} />],
          ["Blocks without a checkpoint", number(lag.blocks)],
          ["The oldest of them", lag.oldestSeconds === null ? "none" : `${lag.oldestSeconds} s`],
        ]}
      />
      {currencies.length === 0 ? (
        <p class="empty">There is no money yet.</p>
      ) : (
        <Table
          caption="Sums by currency"
          columns={SUMS}
          items={currencies}
          idOf={({ currency }) => currency}
        />
      )}
    </>
  );
}

/** A column of sums; `select` finds the amount. */
function sum(title: string, select: (books: CurrencyBooks) => string): Column<CurrencyBooks> {
  return {
    title,
    text: select,
    cell: (books) => <Money amount={select(books)} currency={books.currency} />,
    isNumber: true,
  };
}

const SUMS: Column<CurrencyBooks>[] = [
  { title: "Currency", text: ({ currency }) => currency },
  sum("Wallets", ({ wallets }) => wallets),
  sum("Collected", ({ collectionAccounts }) => collectionAccounts),
  sum("In transit", ({ transit }) => transit),
  sum("Fees", ({ fees }) => fees),
  {
    title: "Cleared by partners",
    text: ({ clearing }) => JSON.stringify(clearing),
    cell: ({ clearing, currency }) =>
      Object.entries(clearing).map(([kind, amount]) => (
        <div key={kind}>
          <span class="quiet">{words(kind)}</span> <Money amount={amount} currency={currency} />
        </div>
      )),
  },
  sum("From outside", ({ outside }) => outside),
  sum("Adjusted", ({ adjustments = "0.00" }) => adjustments),
  sum("Total", ({ total }) => total),
];
