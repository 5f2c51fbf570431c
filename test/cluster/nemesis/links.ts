// Faults of the network: cuts in one direction or both, delays, and connections that are reset.
// Bytes of a cut link arrive after the heal.

import type { Random } from "../../../tools/simulate/random.ts";
import type { Plant } from "../plant/plant.ts";
import type { Matches, NodeName, Rule } from "../plant/rules.ts";
import type { Begun, Fault } from "./fault.ts";

const DELAY_AT_LEAST_MS = 50;
const DELAY_AT_MOST_MS = 300;

const isMongod = (name: NodeName) => name.startsWith("mongo-");
const isNats = (name: NodeName) => name.startsWith("nats-");

/** Both directions between a node of one side and one of the other. */
const between =
  (one: (name: NodeName) => boolean, other: (name: NodeName) => boolean): Matches =>
  (from, to) =>
    (one(from) && other(to)) || (other(from) && one(to));

/** A member talks to itself, too, to find itself in the set's configuration. */
const otherMembers = (member: NodeName) => (name: NodeName) => isMongod(name) && name !== member;

function impose({ network }: Plant, target: string, rule: Rule, matches: Matches): Begun {
  const takeBack = network.impose(rule, matches);
  return { target, heal: async () => takeBack() };
}

const DROP: Rule = { kind: "drop" };

/** A fault that cuts the primary from nodes, which the function picks. */
function primaryCut(
  name: string,
  pick: (primary: NodeName, plant: Plant, random: Random) => Matches,
): Fault {
  return {
    name,
    async begin(plant, random) {
      const primary = (await plant.mongo.primary()).name;
      return impose(plant, primary, DROP, pick(primary, plant, random));
    },
  };
}

/** Some processes stay with the primary, the others with the rest of the set. */
function divided(primary: NodeName, { services }: Plant, random: Random): Matches {
  const withPrimary = new Set([
    primary,
    ...services.map(({ name }) => name).filter(() => random.chance(0.5)),
  ]);
  const isInside = (name: NodeName) => withPrimary.has(name);
  const isOutside = (name: NodeName) =>
    isMongod(name)
      ? name !== primary
      : services.some((node) => node.name === name && !isInside(name));
  const isLinkOfMongo: Matches = (from, to) => isMongod(from) || isMongod(to);
  const isDivided = between(isInside, isOutside);
  return (from, to) => isLinkOfMongo(from, to) && isDivided(from, to);
}

/** A fault of the links between processes of services and the servers of one kind. */
function serviceLinks(
  name: string,
  pick: (plant: Plant, random: Random) => NodeName[],
  isServer: (name: NodeName) => boolean,
): Fault {
  return {
    name,
    async begin(plant, random) {
      const nodes = pick(plant, random);
      const matches = between((each) => nodes.includes(each), isServer);
      return impose(plant, nodes.join(", "), DROP, matches);
    },
  };
}

const anyProcess = ({ services }: Plant, random: Random) => [random.pick(services).name];

function anyService({ services }: Plant, random: Random): NodeName[] {
  const { service } = random.pick(services);
  return services.filter((node) => node.service === service).map(({ name }) => name);
}

/** A service without a database has no link that could be cut. */
const withDatabase = ({ services, ...plant }: Plant): Plant => ({
  ...plant,
  services: services.filter(({ service }) => service !== "gateway"),
});

/** Every link of a service or a server. */
function everywhere(name: string, ruleFrom: (random: Random) => Rule): Fault {
  return {
    name,
    async begin(plant, random) {
      const { mongo, nats, services } = plant;
      const target = random.pick([...mongo.members, ...nats.servers, ...services]).name;
      const matches: Matches = (from, to) => from !== to && [from, to].includes(target);
      return impose(plant, target, ruleFrom(random), matches);
    },
  };
}

const anyDelay = (random: Random): Rule => ({
  kind: "delay",
  ms: random.between(DELAY_AT_LEAST_MS, DELAY_AT_MOST_MS),
});

export const LINK_FAULTS: Fault[] = [
  primaryCut("the primary is cut from the other members", (primary) =>
    between((name) => name === primary, otherMembers(primary)),
  ),
  primaryCut("the primary is cut off with some of the processes", divided),
  primaryCut("the primary is cut from members and processes", (primary, { services }) =>
    between(
      (name) => name === primary,
      (name) => otherMembers(primary)(name) || services.some((node) => node.name === name),
    ),
  ),
  primaryCut(
    "the primary does not hear the other members",
    (primary) => (from, to) => to === primary && otherMembers(primary)(from),
  ),
  primaryCut(
    "the other members do not hear the primary",
    (primary) => (from, to) => from === primary && otherMembers(primary)(to),
  ),
  serviceLinks(
    "a service is cut from MongoDB",
    (plant, random) => anyService(withDatabase(plant), random),
    isMongod,
  ),
  serviceLinks(
    "a process is cut from MongoDB",
    (plant, random) => anyProcess(withDatabase(plant), random),
    isMongod,
  ),
  serviceLinks("a service is cut from NATS", anyService, isNats),
  serviceLinks("a process is cut from NATS", anyProcess, isNats),
  {
    name: "a nats-server is cut from the others",
    async begin(plant, random) {
      const { name } = random.pick(plant.nats.servers);
      const isOther = (other: NodeName) => isNats(other) && other !== name;
      return impose(
        plant,
        name,
        DROP,
        between((each) => each === name, isOther),
      );
    },
  },
  {
    name: "a nats-server is cut off",
    async begin(plant, random) {
      const { name } = random.pick(plant.nats.servers);
      return impose(plant, name, DROP, (from, to) => [from, to].includes(name));
    },
  },
  everywhere("the links of a node are slow", anyDelay),
  everywhere("the links of a node are reset", () => ({ kind: "reset" })),
  {
    name: "the whole network is slow",
    begin: async (plant, random) =>
      impose(plant, "every node", anyDelay(random), (from, to) => from !== to),
  },
];
