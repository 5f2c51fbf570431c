// The audit log: what operators have changed, or tried to.

import type { Item } from "../api.ts";
import { words } from "../format.ts";
import { Id, Page } from "../ui/basics.tsx";
import { timeColumn } from "../ui/columns.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";

type Entry = Item<"GET /v1/admin/audit-log">;

const COLUMNS: Column<Entry>[] = [
  timeColumn("When", ({ at }) => at),
  { title: "Who", text: ({ by }) => by, cell: ({ by }) => <Id value={by} short /> },
  { title: "What", text: ({ action }) => action, cell: ({ action }) => words(action) },
  {
    title: "Of",
    text: ({ subjectId }) => subjectId ?? "",
    cell: ({ subjectId }) => subjectId && <Id value={subjectId} short />,
  },
  {
    title: "Request",
    text: ({ request }) => JSON.stringify(request),
    cell: ({ request }) => <Parameters of={request as Record<string, unknown>} />,
  },
  { title: "From", text: ({ address }) => address },
  {
    title: "Answer",
    text: ({ status }) => String(status ?? ""),
    cell: ({ status }) => status ?? "not recorded",
    isNumber: true,
  },
  {
    title: "Request id",
    text: ({ requestId }) => requestId,
    cell: ({ requestId }) => <Id value={requestId} short />,
  },
];

function Parameters({ of }: { of: Record<string, unknown> }) {
  return (
    <>
      {Object.entries(of).map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <span class="quiet">{name}:</span>{" "}
              {typeof value === "string" ? value : JSON.stringify(value)}
            </div>
          ),
      )}
    </>
  );
}

export function AuditLogPage() {
  return (
    <Page
      title="Audit log"
      about="What operators have changed, or tried to: recorded before it was made, and never removed."
    >
      <AuditLog isFiltered />
    </Page>
  );
}

/** @param subjectId only the changes of the thing with this id */
export function AuditLog({ subjectId, isFiltered }: { subjectId?: string; isFiltered?: boolean }) {
  return (
    <Listing
      endpoint="GET /v1/admin/audit-log"
      fixed={subjectId === undefined ? {} : { subjectId }}
      filters={isFiltered ? FILTERS : []}
      caption="Audit log"
      columns={COLUMNS}
      empty="No operator has changed anything."
    />
  );
}

const FILTERS = [
  { name: "businessId", label: "Business" },
  { name: "subjectId", label: "Id of the thing" },
  { name: "by", label: "Operator" },
];
