// The API clients of the business: the list, and one of them with its scopes.

import { useState } from "preact/hooks";
import { call, type Item } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { useLoad } from "../load.ts";
import { href } from "../router.ts";
import { may } from "../scopes.ts";
import { Facts, Id, Page, Problem, Section, Status, Time, WaitingPage } from "../ui/basics.tsx";
import { CREATED, ID_IN_FILE, timeColumn } from "../ui/columns.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";
import { ClientActions, NewClient } from "./api-client-actions.tsx";
import { SCOPES } from "./scopes-in-words.ts";

type Client = Item<"GET /v1/business/{businessId}/api-clients">;

function nameOf({ name, id }: Client): string {
  return name ?? `Client ${id.slice(-8)}`;
}

function statusOf({ disabled }: Client): string {
  return disabled ? "disabled" : "enabled";
}

const COLUMNS: Column<Client>[] = [
  {
    title: "Name",
    text: ({ name }) => name ?? "",
    cell: (client) => <a href={href(["api-clients", client.id])}>{nameOf(client)}</a>,
  },
  { title: "Status", text: statusOf, cell: (client) => <Status of={statusOf(client)} /> },
  { title: "Scopes", text: ({ scopes }) => scopes.join(", ") },
  timeColumn("Last new secret", ({ rotatedAt }) => rotatedAt),
  CREATED,
  ID_IN_FILE,
];

export function ApiClientsPage({ session }: RouteProps) {
  // Another key lists them anew.
  const [count, setCount] = useState(0);
  return (
    <Page
      title="API clients"
      about="The credentials of your servers. People sign in to this console with them too."
      actions={may(session, "external.apis") && <NewClient onDone={() => setCount(count + 1)} />}
    >
      <Listing
        key={count}
        endpoint="GET /v1/business/{businessId}/api-clients"
        fixed={{ order: "newest" }}
        caption="API clients"
        columns={COLUMNS}
        empty="There is no API client."
      />
    </Page>
  );
}

export function ApiClientPage({ params, session }: RouteProps) {
  const { clientId = "" } = params;
  const { data, error, reload } = useLoad(clientId, () =>
    call("GET /v1/business/{businessId}/api-clients/{clientId}", { clientId }),
  );
  if (!data) {
    return <WaitingPage title="API client" error={error} />;
  }
  return (
    <Page
      title={nameOf(data)}
      beside={<Status of={statusOf(data)} />}
      actions={may(session, "external.apis") && <ClientActions client={data} onDone={reload} />}
    >
      <Problem error={error} />
      <Facts
        of={[
          ["Client id", <Id value={clientId} />],
          ["Allowed addresses", data.allowedAddresses?.join(", ") || "Any"],
          ["Created", <Time at={data.createdAt} />],
          ["Last new secret", data.rotatedAt && <Time at={data.rotatedAt} />],
        ]}
      />
      <Section title="Scopes">
        {data.scopes.length === 0 ? (
          <p class="empty">Its tokens can only read.</p>
        ) : (
          <Facts of={data.scopes.map((scope) => [scope, SCOPES[scope]])} />
        )}
      </Section>
    </Page>
  );
}
