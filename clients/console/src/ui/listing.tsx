// A list of the API by cursor, newest first: filters, which are in the address, a page of results
// at a time, and all results as a file.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import {
  following,
  type Item,
  type ListEndpoint,
  type Params,
  type Place,
  pages,
  readPage,
} from "../api.ts";
import { csvLine, saveCsv } from "../csv.ts";
import { number } from "../format.ts";
import { useLoad } from "../load.ts";
import { go, useLocation } from "../router.ts";
import { Loading, Problem } from "./basics.tsx";
import { chosenIn, type Filter, Filters } from "./filters.tsx";
import { Pager } from "./pager.tsx";
import { type Column, Table } from "./table.tsx";

interface ListingProps<E extends ListEndpoint, T> {
  endpoint: E;
  /** Parameters that no filter changes. Lists that can page by number have to name their order. */
  fixed?: Partial<Params<E>>;
  filters?: Filter[];
  /** What the list has, such as "Transactions"; its file has this name too. */
  caption: string;
  columns: Column<T>[];
  /** What the console keeps of an item that it may not keep in full. */
  pick?(item: Item<E>): T;
  idOf?(item: T): string;
  isBad?(item: T): boolean;
  /** What can be done about an item, in the last column. */
  actions?(item: T, reload: () => void): ComponentChildren;
  /** What is said if there is nothing. */
  empty: string;
}

/** A file has at most this many rows, because it is made in the memory of the browser. */
const MOST_ROWS = 100_000;
const PER_PAGE = 50;
/** Requests for a file are made one after the other, each for as many rows as the API allows. */
const PER_REQUEST = 100;

export function Listing<E extends ListEndpoint, T = Item<E>>({
  endpoint,
  fixed = {},
  filters = [],
  caption,
  columns,
  pick = (item) => item as unknown as T,
  idOf = (item) => (item as { id: string }).id,
  isBad,
  actions,
  empty,
}: ListingProps<E, T>) {
  const { path, query } = useLocation();
  const chosen = chosenIn(query, filters);
  const wanted = { ...fixed, ...chosen } as Params<E>;
  const key = JSON.stringify([endpoint, wanted]);
  const [trail, setTrail] = useState<{ key: string; places: Place[] }>({ key, places: [] });
  // Other filters begin at the first page.
  const places = trail.key === key ? trail.places : [];
  const place = places.at(-1) ?? {};
  const { data, error, isLoading, reload } = useLoad(JSON.stringify([key, place]), async () => {
    const { items, meta } = await readPage(endpoint, { limit: PER_PAGE, ...wanted, ...place });
    return { items: items.map(pick), next: following(meta) };
  });
  const isFiltered = filters.some(({ name, initial }) => !initial && chosen[name]);
  const shown = actions
    ? [...columns, { title: "Actions", text: () => "", cell: (item: T) => actions(item, reload) }]
    : columns;

  return (
    <div class="listing" aria-busy={isLoading}>
      <div class="tools">
        {filters.length > 0 && (
          <Filters filters={filters} chosen={chosen} onChange={(values) => go(path, values)} />
        )}
        <div class="buttons">
          <button type="button" onClick={reload}>
            Refresh
          </button>
          <Export
            endpoint={endpoint}
            params={wanted}
            columns={columns}
            pick={pick}
            name={caption}
          />
        </div>
      </div>
      <Problem error={error} />
      {!data && !error && <Loading />}
      {data && data.items.length === 0 && (
        <p class="empty">{isFiltered ? "Nothing fits the filters." : empty}</p>
      )}
      {data && data.items.length > 0 && (
        <Table caption={caption} columns={shown} items={data.items} idOf={idOf} isBad={isBad} />
      )}
      {data && (
        <Pager
          name={`Pages of ${caption.toLowerCase()}`}
          places={places}
          next={data.next}
          onMove={(to) => setTrail({ key, places: to })}
        />
      )}
    </div>
  );
}

interface ExportProps<E extends ListEndpoint, T> {
  endpoint: E;
  params: Params<E>;
  columns: Column<T>[];
  pick(item: Item<E>): T;
  name: string;
}

/** Saves all results as a file, and says how far it is; another click ends it. */
function Export<E extends ListEndpoint, T>(props: ExportProps<E, T>) {
  const { endpoint, params, columns, pick, name } = props;
  const [rows, setRows] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isCut, setIsCut] = useState(false);
  const isWanted = useRef(false);

  async function run() {
    isWanted.current = !isWanted.current;
    if (!isWanted.current) return;
    setError(null);
    setIsCut(false);
    setRows(0);
    const lines = [csvLine(columns.map(({ title }) => title))];
    try {
      for await (const { items, meta } of pages(endpoint, { ...params, limit: PER_REQUEST })) {
        lines.push(
          ...items.map(pick).map((item) => csvLine(columns.map(({ text }) => text(item)))),
        );
        setRows(lines.length - 1);
        if (!isWanted.current) return;
        if (lines.length > MOST_ROWS) {
          setIsCut(following(meta) !== null);
          break;
        }
      }
      saveCsv(`${name.toLowerCase().replaceAll(" ", "-")}.csv`, lines);
    } catch (problem) {
      setError(problem);
    } finally {
      isWanted.current = false;
      setRows(null);
    }
  }

  return (
    <>
      <button type="button" onClick={() => void run()}>
        {rows === null ? "Export CSV" : `${number(rows)} rows… Stop`}
      </button>
      {isCut && (
        <p class="problem" role="alert">
          The file has the first {number(MOST_ROWS)} rows only. Choose filters for the others.
        </p>
      )}
      <Problem error={error} />
    </>
  );
}
