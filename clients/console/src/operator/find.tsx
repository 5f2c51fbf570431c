// The thing with an id: its own page opens in place of this one. If it has none, this page names
// its kind and its business.

import { useEffect } from "preact/hooks";
import { call, PayrailError } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { words } from "../format.ts";
import { useLoad } from "../load.ts";
import { redirect } from "../router.ts";
import { Facts, Id, Page, WaitingPage } from "../ui/basics.tsx";
import { BusinessName } from "../ui/names.tsx";
import { pageOf } from "./page-of.ts";

export function FindPage({ params: { id = "" } }: RouteProps) {
  const { data, error } = useLoad(id, () => call("GET /v1/admin/find/{id}", { id }));
  const page = data && pageOf(data);
  useEffect(() => {
    if (page) redirect(page);
  }, [page]);
  if (error instanceof PayrailError && error.status === 404) {
    return (
      <Page title="Find by id">
        <p class="empty">Nothing has the id {id}.</p>
      </Page>
    );
  }
  if (!data || page) return <WaitingPage title="Find by id" error={error} />;
  return (
    <Page title={words(data.kind)}>
      <Facts
        of={[
          ["Id", <Id value={id} />],
          ["Business", <BusinessName id={data.businessId} />],
        ]}
      />
    </Page>
  );
}
