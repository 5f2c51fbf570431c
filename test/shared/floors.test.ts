// The folders of a service are floors: a folder imports only from the floors below it and from
// itself. So a reader of one floor needs none of the later ones. The files beside the service file
// stand above all floors, except those that have a floor and those that every floor may import.

import { globSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { importedBy } from "../support/imported.ts";

interface House {
  service: string;
  /**
   * Folders, and files beside the service file, from the ground up. The folders of one floor do not
   * import each other.
   */
  floors: string[][];
  /** Files beside the service file that every floor may import. */
  ground: string[];
  /** More imports between the folders than this are seen, and this one among them. */
  atLeast: number;
  seen: { from: string; to: string };
}

const HOUSES: House[] = [
  {
    service: "payment-links",
    floors: [
      ["links", "acquirers"],
      ["payments"],
      ["refunds", "billing"],
      ["checkout", "customers"],
      ["assembly.ts", "attention.ts", "notifications.ts", "partners.ts", "statistics.ts"],
      ["actions"],
    ],
    ground: ["points.ts"],
    atLeast: 120,
    seen: { from: "refunds/lifecycle.ts", to: "acquirers/acquirer.ts" },
  },
  {
    service: "webhooks",
    floors: [["exchange"], ["endpoints"], ["queue"], ["events"]],
    // Its types are those of the floors.
    ground: ["deps.ts"],
    atLeast: 25,
    seen: { from: "queue/attempt.ts", to: "exchange/exchange.ts" },
  },
];

/** The imports of the service's files that leave their folder and stay in the service. */
function readImports({ service }: House) {
  const root = resolve("services", service);
  return globSync(`${root}/**/*.ts`).flatMap((path) =>
    importedBy(path)
      .filter((imported) => imported.startsWith("."))
      .map((imported) => resolve(dirname(path), imported))
      .filter((target) => target.startsWith(root + sep))
      .map((target) => ({ from: relative(root, path), to: relative(root, target) }))
      .filter(({ from, to }) => dirname(from) !== dirname(to)),
  );
}

/** -1 is the ground; files beside the service file that have no floor are above all of them. */
function floorOf({ floors, ground }: House, file: string): number {
  if (ground.includes(file)) return -1;
  const [entry, name] = file.split(sep) as [string, string?];
  const floor = floors.findIndex((entries) => entries.includes(entry));
  if (floor === -1 && name !== undefined) throw new Error(`The folder ${entry} has no floor`);
  return floor === -1 ? floors.length : floor;
}

describe.each(HOUSES)("$service", (house) => {
  const { floors, ground, atLeast, seen } = house;
  const imports = readImports(house).filter(({ from }) => !ground.includes(from));

  test("a folder imports only from lower floors", () => {
    const upwards = imports.filter(({ from, to }) => floorOf(house, to) >= floorOf(house, from));
    expect(upwards).toEqual([]);
  });

  test("the imports between the folders are seen", () => {
    const inFolders = imports.filter(({ from }) => floorOf(house, from) < floors.length);
    expect(inFolders.length).toBeGreaterThan(atLeast);
    const { from, to } = seen;
    expect(inFolders).toContainEqual({
      from: from.replaceAll("/", sep),
      to: to.replaceAll("/", sep),
    });
  });
});
