// The list of rails and acquirers, as an operator reads it.

import { randomUUID } from "node:crypto";
import { dataOf, type World } from "./world.ts";

export const PARTNERS = "/v1/admin/partners";

export async function showPartners({ http, tokens }: World) {
  return dataOf(await http.get(PARTNERS, { token: tokens.admin(randomUUID()) }), 200);
}

/** The only partner of a kind. */
// biome-ignore lint/suspicious/noExplicitAny: as the endpoint answers
export async function partner(world: World, kind: "rail" | "acquirer"): Promise<any> {
  const { partners } = await showPartners(world);
  const [found, ...others] = partners.filter((each: { kind: string }) => each.kind === kind);
  expect(others).toEqual([]);
  return found;
}

/** What waits, if nothing does. */
export const NONE = { count: 0, since: null };
