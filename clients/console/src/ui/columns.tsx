// Columns that many lists have.

import { href } from "../router.ts";
import { Flag, Id, Money, Status, Time } from "./basics.tsx";
import type { Column } from "./table.tsx";

export const ID: Column<{ id: string }> = {
  title: "Id",
  text: ({ id }) => id,
  cell: ({ id }) => <Id value={id} short />,
};

/** Where the page of an item shows its id. */
export const ID_IN_FILE: typeof ID = { ...ID, isOnlyInFile: true };

export const STATUS: Column<{ status: string; needsAttention?: boolean }> = {
  title: "Status",
  text: ({ status }) => status,
  cell: ({ status, needsAttention }) => (
    <>
      <Status of={status} /> {needsAttention && <Flag>Needs attention</Flag>}
    </>
  ),
};

/** Amounts are shown with their currency. */
export const CURRENCY: Column<{ currency: string }> = {
  title: "Currency",
  text: ({ currency }) => currency,
  isOnlyInFile: true,
};

export function timeColumn<T>(title: string, of: (item: T) => string | null): Column<T> {
  return {
    title,
    text: (item) => of(item) ?? "",
    cell: (item) => {
      const at = of(item);
      return at && <Time at={at} />;
    },
  };
}

export const CREATED = timeColumn<{ createdAt: string }>("Created", ({ createdAt }) => createdAt);

/** When an item was created, with a link to its page. */
export function createdColumn<T extends { createdAt: string }>(
  pathOf: (item: T) => string[],
): Column<T> {
  return {
    ...CREATED,
    cell: (item) => (
      <a href={href(pathOf(item))}>
        <Time at={item.createdAt} />
      </a>
    ),
  };
}

/** Amounts in the currency of each item. */
export function moneyColumn<T extends { currency: string }>(
  title: string,
  of: (item: T) => string,
): Column<T> {
  return {
    title,
    text: of,
    cell: (item) => <Money amount={of(item)} currency={item.currency} />,
    isNumber: true,
  };
}
