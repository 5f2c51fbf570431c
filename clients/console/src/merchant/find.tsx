// What a merchant finds: the page of an id opens in place of this one; any other text is read as
// what people know of an end user or a transaction.

import { useEffect } from "preact/hooks";
import { call, readPage } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { useLoad } from "../load.ts";
import { FoundInBusiness } from "../pages/found-in-business.tsx";
import { href, redirect, useLocation } from "../router.ts";
import { Page, WaitingPage } from "../ui/basics.tsx";

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The pages of things by their id. A payment is a transaction too, so its own page comes first. */
const PAGES: [place: string, read: (id: string) => Promise<unknown>][] = [
  ["payments", (id) => call("GET /v1/business/{businessId}/payments/{id}", { id })],
  ["transactions", (id) => call("GET /v1/transactions/{id}", { id })],
  [
    "end-users",
    (entityId) => call("GET /v1/business/{businessId}/entities/{entityId}", { entityId }),
  ],
  ["wallets", (walletId) => call("GET /v1/business/{businessId}/wallets/{walletId}", { walletId })],
  ["payment-links", (id) => call("GET /v1/business/{businessId}/payment-links/{id}", { id })],
  ["subscriptions", (id) => call("GET /v1/business/{businessId}/subscriptions/{id}", { id })],
  ["webhooks", (id) => call("GET /v1/business/{businessId}/webhooks/{id}", { id })],
];

/**
 * The address of the page of an id, or of the payouts to a linked account.
 * @returns null if nothing of the business has the id
 */
async function pageOf(id: string): Promise<string | null> {
  const found = await Promise.all(
    PAGES.map(([, read]) =>
      read(id).then(
        () => true,
        () => false,
      ),
    ),
  );
  const place = PAGES[found.indexOf(true)]?.[0];
  if (place !== undefined) return href([place, id]);
  const ofAccount = { linkedAccountId: id };
  const paid = await readPage("GET /v1/business/{businessId}/transactions", {
    ...ofAccount,
    limit: 1,
  });
  return paid.items.length > 0 ? href(["transactions"], ofAccount) : null;
}

export function FindPage({ session }: RouteProps) {
  const { q = "" } = useLocation().query;
  const isId = ID.test(q);
  const { data: page, isLoading } = useLoad(q, async () => (isId ? pageOf(q) : null));
  useEffect(() => {
    if (page) redirect(page);
  }, [page]);
  if (isId && (isLoading || page)) return <WaitingPage title="Find" error={null} />;
  return (
    <Page title={`Find: ${q}`}>
      {isId ? (
        <p class="empty">Nothing of yours has this id.</p>
      ) : (
        <FoundInBusiness of={{ session, businessId: session.id }} text={q} />
      )}
    </Page>
  );
}
