// The same calls for a merchant about its own business, and for an operator about any business.

import { type Endpoint as ApiEndpoint, call, type Data, type Session } from "../api.ts";
import { masked, words } from "../format.ts";

export type Transaction = Data<"GET /v1/transactions/{id}">;
/** Only an operator's has a problem. */
export type History = Data<"GET /v1/admin/businesses/{businessId}/transactions/{id}/timeline">;
export type Endpoint = Data<"GET /v1/business/{businessId}/webhooks/{id}">;
export type Delivery = Data<"GET /v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}">;

type Named = Pick<
  Data<"GET /v1/business/{businessId}/entities/{entityId}">,
  "id" | "email" | "erasedAt"
>;

/** What a page shows: a thing of this business, to this person. */
export interface Of {
  session: Session;
  businessId: string;
}

type Shared<E> = E extends `GET /v1/admin/businesses/${infer Rest}`
  ? `GET /v1/business/${Rest}` extends ApiEndpoint
    ? E
    : never
  : never;

/** An operator's read of a business, or the business's own one, which has the same answer. */
export function readBy<E extends Shared<ApiEndpoint>>({ session }: Of, endpoint: E): E {
  return session.role === "admin"
    ? endpoint
    : (endpoint.replace("/admin/businesses/", "/business/") as E);
}

/** Whether a transaction is a payout; the flow WITHDRAWAL is a filter for both of its flows. */
export function isPayout({ flow }: Transaction): boolean {
  return flow === "PAYOUT" || flow === "PAYMENT";
}

/** The kind of a transaction. The API calls some payouts PAYMENT, and payments COLLECTION. */
export function kindInWords({ flow, direction }: Pick<Transaction, "flow" | "direction">): string {
  if (direction) return `${words(flow)}, ${words(direction).toLowerCase()}`;
  if (flow === "PAYMENT") return "Payout";
  return flow === "COLLECTION" ? "Payment" : words(flow);
}

/** Such as `Ada Lovelace, First Bank •••• 6789`. */
export function recipientInWords(recipient: NonNullable<Transaction["recipient"]>): string {
  const { name, bankName, lastFour } = recipient;
  const account = [bankName, lastFour && masked(lastFour)].filter(Boolean).join(" ");
  return [name, account].filter(Boolean).join(", ");
}

/** Whether it has not ended. */
export function isOpen({ status }: Transaction): boolean {
  return status === "PENDING" || status === "PROCESSING_PAY_OUT";
}

export function readTransaction({ session, businessId }: Of, id: string): Promise<Transaction> {
  return session.role === "admin"
    ? call("GET /v1/admin/businesses/{businessId}/transactions/{id}", { businessId, id })
    : call("GET /v1/transactions/{id}", { id });
}

export function readHistory({ session, businessId }: Of, id: string): Promise<History> {
  return session.role === "admin"
    ? call("GET /v1/admin/businesses/{businessId}/transactions/{id}/timeline", { businessId, id })
    : call("GET /v1/transactions/{id}/timeline", { id });
}

/** Where the console shows a webhook endpoint. */
export function webhookPath({ session, businessId }: Of, id: string): string[] {
  return session.role === "admin" ? ["businesses", businessId, "webhooks", id] : ["webhooks", id];
}

/** Where the console shows the end users of a business. */
export function endUsersPath({ session, businessId }: Of): string[] {
  return session.role === "admin" ? ["businesses", businessId, "end-users"] : ["end-users"];
}

/** Where the console shows the limits that the person may set for a business. */
export function limitsPath({ session, businessId }: Of): string[] {
  return session.role === "admin" ? ["businesses", businessId, "limits"] : ["limits"];
}

/** Where the console shows an end user. */
export function endUserPath(of: Of, id: string): string[] {
  return [...endUsersPath(of), id];
}

/** The name of an end user: payrail knows no other one than the email. */
export function nameOf({ email, erasedAt, id }: Named): string {
  return erasedAt ? `Erased end user …${id.slice(-8)}` : email;
}

/** Where the console lists the transactions of a business. */
export function transactionsPath({ session, businessId }: Of): string[] {
  return session.role === "admin" ? ["businesses", businessId] : ["transactions"];
}

/** Where the console shows a transaction. */
export function transactionPath({ session, businessId }: Of, id: string): string[] {
  return session.role === "admin"
    ? ["businesses", businessId, "transactions", id]
    : ["transactions", id];
}

export function readEndpoint(of: Of, id: string): Promise<Endpoint> {
  const { businessId } = of;
  return call(readBy(of, "GET /v1/admin/businesses/{businessId}/webhooks/{id}"), {
    businessId,
    id,
  });
}
