// What an operator finds: over all businesses by an id, an email or a reference, and within the
// business whose pages it reads by all that people know of an end user or a transaction. If only
// one thing fits, the console opens it in place of this page.

import { useEffect } from "preact/hooks";
import { call, type Data } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { words } from "../format.ts";
import { useLoad } from "../load.ts";
import { FoundInBusiness } from "../pages/found-in-business.tsx";
import { href, redirect, useLocation } from "../router.ts";
import { Id, Page, Problem, Section, WaitingPage } from "../ui/basics.tsx";
import { BusinessName } from "../ui/names.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { pageOf } from "./page-of.ts";

type Found = Data<"GET /v1/admin/find">[number];

function kindOf({ kind }: Found): string {
  return kind === "entity" ? "End user" : words(kind);
}

const COLUMNS: Column<Found>[] = [
  {
    title: "What",
    text: kindOf,
    cell: (found) => {
      const page = pageOf(found);
      return page === null ? kindOf(found) : <a href={page}>{kindOf(found)}</a>;
    },
  },
  { title: "Id", text: ({ id }) => id, cell: ({ id }) => <Id value={id} short /> },
  {
    title: "Business",
    text: ({ businessId }) => businessId,
    cell: ({ businessId }) => <BusinessName id={businessId} />,
  },
];

export function FindPage({ session }: RouteProps) {
  const { q = "", businessId } = useLocation().query;
  const { data, error } = useLoad(q, () => call("GET /v1/admin/find", { q }));
  const [only, another] = data ?? [];
  const page = only && !another ? pageOf(only) : null;
  useEffect(() => {
    if (page) redirect(page);
  }, [page]);
  if ((!data && !error) || page) return <WaitingPage title="Find" error={null} />;
  return (
    <Page
      title={`Find: ${q}`}
      about={
        businessId ? (
          <>
            In all businesses by an id, an email or a reference; in <BusinessName id={businessId} />{" "}
            also by a name, last four digits or an amount.
          </>
        ) : (
          <>
            In all businesses by an id, an email or a reference. From the page of a{" "}
            <a href={href(["businesses"])}>business</a> also by a name, last four digits or an
            amount of its own.
          </>
        )
      }
    >
      <Problem error={error} />
      {data && data.length > 0 && (
        <Section title="In all businesses">
          <Table caption="Found" columns={COLUMNS} items={data} idOf={({ id }) => id} />
        </Section>
      )}
      {businessId ? (
        <FoundInBusiness of={{ session, businessId }} text={q} />
      ) : (
        data?.length === 0 && <p class="empty">Nothing has this id, email or reference.</p>
      )}
    </Page>
  );
}
