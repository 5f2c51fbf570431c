// What a business has of the text that a person has typed: end users, and the transactions that fit
// each reading of it as an email, last four digits, an amount, a reference or a name.

import { following, type Page, readPage } from "../api.ts";
import { useLoad } from "../load.ts";
import { href } from "../router.ts";
import { Loading, Problem, Section } from "../ui/basics.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { endUserColumns } from "./end-users.tsx";
import { endUsersPath, type Of, readBy, transactionsPath } from "./of-business.ts";
import { type TransactionFilter, transactionColumns } from "./transactions.tsx";

interface Reading {
  title: string;
  filter: TransactionFilter;
}

const SHOWN = 10;
/** The API takes no longer text, and finds what contains it. */
const LONGEST = 64;

/** The readings of a text, also of one that was copied from a page. */
function readingsOf(text: string): Reading[] {
  const part = text.slice(0, LONGEST);
  const digits = text.replace(/^[•*\s]+/, "");
  const amount = text
    .replace(/^([A-Z]{3}|[$€£])\s*|\s*([A-Z]{3}|[$€£])$/gi, "")
    .replace(/,(?=\d{3}\b)/g, "")
    .replace(",", ".");
  const readings: (Reading | false)[] = [
    text.includes("@") && { title: "by email", filter: { email: part } },
    /^\d{4}$/.test(digits) && { title: "by last four digits", filter: { last4: digits } },
    /^\d+(\.\d{1,2})?$/.test(amount) && {
      title: "by amount",
      filter: { amountFrom: amount, amountTo: amount },
    },
    !/\s/.test(text) && { title: "by reference", filter: { reference: text } },
    text.length > 1 && { title: "by recipient's name", filter: { search: part } },
  ];
  return readings.filter((each) => each !== false);
}

/** The newest of what fits, or why it could not be read: the others are shown all the same. */
interface Found<T> {
  items: T[];
  hasMore: boolean;
  error: unknown;
}

async function found<T>(reading: Promise<Page<T>>): Promise<Found<T>> {
  try {
    const { items, meta } = await reading;
    return { items, hasMore: following(meta) !== null, error: null };
  } catch (error) {
    return { items: [], hasMore: false, error };
  }
}

function read(of: Of, text: string) {
  const { businessId } = of;
  const newest = { businessId, limit: SHOWN };
  return Promise.all([
    found(
      readPage(readBy(of, "GET /v1/admin/businesses/{businessId}/entities"), {
        ...newest,
        search: text.slice(0, LONGEST),
        order: "newest",
      }),
    ),
    ...readingsOf(text).map(({ filter }) =>
      found(
        readPage(readBy(of, "GET /v1/admin/businesses/{businessId}/transactions"), {
          ...newest,
          ...filter,
        }),
      ),
    ),
  ] as const);
}

export function FoundInBusiness({ of, text }: { of: Of; text: string }) {
  const { data } = useLoad(`${of.businessId} ${text}`, () => read(of, text));
  if (!data) return <Loading />;
  const [users, ...transactions] = data;
  const isEmpty = data.every(({ items, error }) => items.length === 0 && !error);
  return (
    <>
      {isEmpty && (
        <p class="empty">
          Nothing fits. Find takes a recipient's name, an email, last four digits, an amount with
          its fee, a reference, an end user's external id, or an id.
        </p>
      )}
      <Part
        title="End users"
        found={users}
        columns={endUserColumns(of)}
        all={href(endUsersPath(of), { search: text })}
      />
      {readingsOf(text).map(
        ({ title, filter }, i) =>
          transactions[i] && (
            <Part
              key={title}
              title={`Transactions: ${title}`}
              found={transactions[i]}
              columns={transactionColumns(of)}
              all={href(transactionsPath(of), filter)}
            />
          ),
      )}
    </>
  );
}

interface PartProps<T> {
  title: string;
  found: Found<T>;
  columns: Column<T>[];
  /** Where the list has all of them. */
  all: string;
}

function Part<T extends { id: string }>({ title, found: part, columns, all }: PartProps<T>) {
  const { items, hasMore, error } = part;
  if (items.length === 0 && !error) return null;
  return (
    <Section title={title}>
      <Problem error={error} />
      {items.length > 0 && (
        <Table caption={title} columns={columns} items={items} idOf={({ id }) => id} />
      )}
      {hasMore && (
        <p class="note">
          <a href={all}>All of them</a>
        </p>
      )}
    </Section>
  );
}
