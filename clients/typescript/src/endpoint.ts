// The parameters and the answer of an endpoint, by its name:
// `POST /v1/business/{businessId}/wallets`.

import type { Document } from "./generated/document.ts";

type Endpoints = Document["endpoints"];

export type Endpoint = keyof Endpoints;

/** An intersection as one object, so that editors show its fields. */
type Flat<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;

/** The parameters of path, query and body together. A merchant's client fills `businessId` in. */
export type Params<E extends Endpoint> = Flat<Endpoints[E]["input"]>;

/** The `data` of the answer. */
export type Data<E extends Endpoint> = Endpoints[E]["answer"] extends { data: infer T } ? T : never;

/** The endpoints that answer a page of a list. */
export type ListEndpoint = {
  [E in Endpoint]: Endpoints[E]["answer"] extends { data: unknown[]; meta: unknown } ? E : never;
}[Endpoint];

/** The item of a list. */
export type Item<E extends ListEndpoint> = Data<E> extends (infer T)[] ? T : never;
