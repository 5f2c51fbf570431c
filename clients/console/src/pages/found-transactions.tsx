// The transactions of a business that fit what a person has typed, under each reading of it: an
// email, last four digits, an amount, a reference or a name.

import { readPage } from "../api.ts";
import { useLoad } from "../load.ts";
import { href } from "../router.ts";
import { Loading, Problem, Section } from "../ui/basics.tsx";
import { Table } from "../ui/table.tsx";
import { type Of, transactionsPath } from "./of-business.ts";
import { type TransactionFilter, transactionColumns } from "./transactions.tsx";

interface Reading {
  title: string;
  filter: TransactionFilter;
}

const SHOWN = 10;

/** The readings of a text; an id has none. */
export function readingsOf(text: string): Reading[] {
  const amount = text.replace(/^[A-Z]{3}\s*/i, "").replace(",", ".");
  const readings: (Reading | false)[] = [
    text.includes("@") && { title: "By email", filter: { email: text } },
    /^\d{4}$/.test(text) && { title: "By last four digits", filter: { last4: text } },
    /^\d+(\.\d{1,2})?$/.test(amount) && {
      title: "By amount",
      filter: { amountFrom: amount, amountTo: amount },
    },
    !/\s/.test(text) && { title: "By reference", filter: { reference: text } },
    text.length > 1 && { title: "By recipient's name", filter: { search: text } },
  ];
  return readings.filter((each) => each !== false);
}

export function FoundTransactions({ of, text }: { of: Of; text: string }) {
  const { data, error } = useLoad(`${of.businessId} ${text}`, () =>
    Promise.all(
      readingsOf(text).map(async (reading) => ({ ...reading, ...(await read(of, reading)) })),
    ),
  );
  const found = data?.filter(({ items }) => items.length > 0);
  return (
    <>
      <Problem error={error} />
      {!data && !error && <Loading />}
      {found?.length === 0 && <p class="empty">No transaction fits.</p>}
      {found?.map(({ title, filter, items, hasMore }) => (
        <Section key={title} title={`Transactions: ${title.toLowerCase()}`}>
          <Table
            caption={title}
            columns={transactionColumns(of)}
            items={items}
            idOf={({ id }) => id}
          />
          {hasMore && (
            <p class="note">
              <a href={href(transactionsPath(of), filter)}>All of them</a>
            </p>
          )}
        </Section>
      ))}
    </>
  );
}

async function read({ session, businessId }: Of, { filter }: Reading) {
  const params = { ...filter, limit: SHOWN };
  const { items, meta } =
    session.role === "admin"
      ? await readPage("GET /v1/admin/businesses/{businessId}/transactions", {
          businessId,
          ...params,
        })
      : await readPage("GET /v1/business/{businessId}/transactions", params);
  return { items, hasMore: "nextCursor" in meta && meta.nextCursor !== null };
}
