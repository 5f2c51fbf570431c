// The types of an endpoint's parameters and answer, read from the OpenAPI document's types by method
// and path.

import type { paths } from "./document.ts";

export type Method = "get" | "post" | "patch" | "delete";

/** The paths that have the method. */
export type Path<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

type Operation<M extends Method, P extends Path<M>> = paths[P][M];

/** The client fills `businessId` in. */
type PathOf<O> = O extends { parameters: { path: infer T extends object } }
  ? Omit<T, "businessId">
  : unknown;

/** An endpoint without a query has `never` there. */
type QueryOf<O> = O extends { parameters: { query?: infer T } }
  ? [NonNullable<T>] extends [never]
    ? unknown
    : NonNullable<T>
  : unknown;

type Json<T> = { content: { "application/json": T } };
type BodyOf<O> = O extends { requestBody: Json<infer T> }
  ? T
  : O extends { requestBody?: Json<infer T> }
    ? T
    : unknown;

/** An intersection as one object, so that editors show its fields. */
type Flat<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;

/** All parameters of an endpoint side by side: those of its path, and its query or its body. */
export type Params<M extends Method, P extends Path<M>> = Flat<
  PathOf<Operation<M, P>> & InputOf<M, Operation<M, P>>
>;

type InputOf<M extends Method, O> = M extends "get" | "delete" ? QueryOf<O> : BodyOf<O>;

type Answer<O> = O extends { responses: infer R }
  ? R[keyof R] extends Json<infer T>
    ? T
    : never
  : never;

/** The `data` of an endpoint's answer. */
export type Data<M extends Method, P extends Path<M>> =
  Answer<Operation<M, P>> extends { data: infer T } ? T : never;

/** The paths of lists. */
export type ListPath = {
  [P in Path<"get">]: Data<"get", P> extends unknown[] ? P : never;
}[Path<"get">];

/** The item of a list. */
export type Item<P extends ListPath> = Data<"get", P> extends (infer T)[] ? T : never;
