// A biller: customers save cards at its recurring link, and its test clock passes months, so that
// their subscriptions are renewed.

import { newId } from "../../../shared/ids.ts";
import { paymentBody } from "../../support/world.ts";
import { cardToken } from "../outside/acquirer.ts";
import type { Biller } from "./cast.ts";
import type { Client } from "./client.ts";

const SUBSCRIPTIONS_AT_MOST = 5;
/** The recurring link begins in 2030; the clock may go ten years ahead. */
const FIRST_YEAR = 2030;
const LAST_MONTH = 66;

async function subscribe(client: Client, { link, collectionId }: Biller) {
  const op = newId();
  const card = cardToken(op, "good");
  await client.decide({
    ...{ kind: "setup", op, about: { account: collectionId, link: link.id, card } },
    path: `/v1/checkout/${link.token}/setup`,
    ...{ key: op, body: paymentBody(card) },
  });
}

async function setClock(client: Client, { business }: Biller, month: number) {
  const now = new Date(Date.UTC(FIRST_YEAR, month, 2)).toISOString();
  await client.decide({
    ...{ kind: "clock", op: newId(), about: { business: business.id, now } },
    path: `/v1/business/${business.id}/test-clock`,
    ...{ token: business.token, body: { now } },
  });
}

/** A life of a biller until it is stopped. */
export async function liveBiller(client: Client, biller: Biller, isOver: () => boolean) {
  const { random } = client;
  let subscriptions = 0;
  let month = 0;
  while (!isOver()) {
    if (subscriptions < SUBSCRIPTIONS_AT_MOST && (subscriptions === 0 || random.chance(0.2))) {
      subscriptions += 1;
      await subscribe(client, biller);
    } else if (month < LAST_MONTH && random.chance(0.5)) {
      await setClock(client, biller, month);
      month += 1;
    } else {
      const { business, collectionId } = biller;
      const path = `/v1/business/${business.id}/collection-accounts`;
      const about = { account: collectionId };
      await client.ask({ kind: "balance", op: collectionId, about, path, token: business.token });
    }
  }
}
