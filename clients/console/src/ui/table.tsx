// Tables. On a narrow screen each row is a card, with its column's title before each value.

import type { ComponentChildren } from "preact";

export interface Column<T> {
  title: string;
  /** Its value as text, for a file; shown too, unless there is a `cell`. */
  text(item: T): string;
  /** How it is shown. */
  cell?(item: T): ComponentChildren;
  /** Numbers stand at the end of their column. */
  isNumber?: boolean;
  /** Whether another column shows it too, so that only a file has it. */
  isOnlyInFile?: boolean;
}

interface TableProps<T> {
  /** What the table has, for screen readers. */
  caption: string;
  columns: Column<T>[];
  items: T[];
  idOf(item: T): string;
  /** Whether something is wrong with an item, so that its row is red. */
  isBad?(item: T): boolean;
}

export function Table<T>({ caption, columns, items, idOf, isBad }: TableProps<T>) {
  const shown = columns.filter(({ isOnlyInFile }) => !isOnlyInFile);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard has to reach what scrolls.
    <div class="scrolls" tabIndex={0}>
      <table class="table">
        <caption>{caption}</caption>
        <thead>
          <tr>
            {shown.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? "number" : ""}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={idOf(item)} class={isBad?.(item) ? "bad" : ""}>
              {shown.map((column) => (
                <Cell key={column.title} column={column} item={item} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<T>({ column, item }: { column: Column<T>; item: T }) {
  const { title, text, cell, isNumber } = column;
  const content = cell ? cell(item) : text(item);
  // A card leaves empty cells out.
  const isEmpty = !content || (Array.isArray(content) && content.length === 0);
  return (
    <td data-title={title} class={isNumber ? "number" : ""}>
      {!isEmpty && <div>{content}</div>}
    </td>
  );
}
