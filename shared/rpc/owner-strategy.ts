// The node that a call goes to, as a strategy of Moleculer's: the owner of the account that the
// action posts to (partition-owners.ts). A call of any other action stays in this process if it
// can, or else goes to the nodes in turn.
//
// It is the broker's strategy, although an action's schema may name one of its own: that name would
// go to all nodes, and a node that does not know it, such as one of the previous release or of
// plain Moleculer, would fail to read the announcement.

import moleculer, {
  type ActionEndpoint,
  type Context,
  type Endpoint,
  type ServiceBroker,
} from "moleculer";
import { type ActionName, contractFor } from "../contracts/contracts.ts";
import { ledgerOwners } from "./partition-owners.ts";
import { PARTITIONS, partitionFor } from "./partitions.ts";

class OwnerStrategy extends moleculer.Strategies.RoundRobin {
  override select(list: Endpoint[], context?: Context<Record<string, unknown>>): Endpoint {
    // An endpoint of an event has no action.
    const { action } = list[0] as Partial<ActionEndpoint>;
    const { postsTo = null } = contractFor(action?.name as ActionName) ?? {};
    if (postsTo === null) return list.find(({ local }) => local) ?? super.select(list);
    const nodes = list.map(({ id }) => id).toSorted();
    const p = partitionFor(String(context?.params?.[postsTo]), PARTITIONS);
    const owner = ownersOf(this).among(nodes)[p];
    return list.find(({ id }) => id === owner) as Endpoint;
  }
}

/** The options of a broker's registry, with the owners as its calls see them. */
export function ownersFirst() {
  const strategyOptions = { owners: ledgerOwners() };
  // Moleculer's own preference of this process would come before the owner.
  return { preferLocal: false, strategy: OwnerStrategy, strategyOptions };
}

export function ownersOf({ registry }: Pick<ServiceBroker, "registry">) {
  return (registry.opts as ReturnType<typeof ownersFirst>).strategyOptions.owners;
}
