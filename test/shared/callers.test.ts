// The callers in the contracts, which the NATS server enforces, are exactly the services whose code
// calls the action: one that is missing would be refused, one too many would keep a right for
// nothing.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  type ActionName,
  contractFor,
  contracts,
  events,
} from "../../shared/contracts/contracts.ts";
import { SERVICE_NAMES, type ServiceName } from "../../shared/rpc/service-names.ts";

const ACTIONS = Object.keys(contracts) as ActionName[];
/** These name every action, and call none. */
const CONTRACTS = resolve("shared/contracts");

/** The code that a service runs: its file, and the files that these import by value. */
function codeOf(service: ServiceName): string {
  const files = new Map<string, string>();
  const read = (path: string) => {
    if (files.has(path) || path.startsWith(CONTRACTS) || !existsSync(path)) return;
    const text = readFileSync(path, "utf8");
    files.set(path, text);
    for (const [, imported = ""] of text.matchAll(
      /^(?:import|export) (?!type)[^;]*?"(\.[^"]+)";/gms,
    )) {
      read(join(dirname(path), imported));
    }
  };
  read(resolve(`services/${service}/${service}.service.ts`));
  return [...files.values()].join("\n").replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, "");
}

/** Actions in texts such as "accounts.entity" and call(`${service}.ready`…). */
function namesIn(code: string): Set<string> {
  const written = ACTIONS.filter((name) => code.includes(`"${name}"`));
  const made = [...code.matchAll(/call\(`\$\{[\w.]+\}\.(\w+)`/g)].map(([, local]) => `.${local}`);
  return new Set([...written, ...ACTIONS.filter((name) => made.some((end) => name.endsWith(end)))]);
}

const used = new Map(SERVICE_NAMES.map((service) => [service, namesIn(codeOf(service))]));

test.each(ACTIONS)("the callers of %s are those that name it", (name) => {
  const owner = name.split(".")[0];
  const callers = SERVICE_NAMES.filter((each) => each !== owner && used.get(each)?.has(name));
  expect(contractFor(name).callers.toSorted()).toEqual(callers.toSorted());
});

test.each(Object.entries(events))("%s comes from the service that broadcasts it", (name, event) => {
  const senders = SERVICE_NAMES.filter((each) => codeOf(each).includes(`"${name}"`));
  expect(senders).toEqual([event.sender]);
});
