// The folders of the house, and those of a service, are floors: a folder imports only from the
// floors below it and from itself. So a reader of one floor needs none of the later ones. The files
// beside a service file stand above all floors, except those that have a floor and those that every
// floor may import.

import { globSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { importedBy } from "../support/imported.ts";

interface House {
  root: string;
  /** A pattern of its files. */
  files: string;
  /** Folders and files from the ground up. The folders of one floor do not import each other. */
  floors: string[][];
  /** Files that every floor may import. Their own imports are not looked at. */
  ground: string[];
  /** More imports between the folders than this are seen, and this one among them. */
  atLeast: number;
  seen: [from: string, to: string];
}

const SERVICES = ["accounts", "wallet-ledger", "webhooks", "payouts", "payment-links", "gateway"];

const HOUSES: House[] = [
  {
    root: ".",
    files: "{services,shared,partners,tools,clients}/**/*.{ts,tsx}",
    floors: [
      ["shared", "clients/typescript"],
      [
        "partners/bank-files",
        "partners/sandbox",
        "partners/stripe",
        "partners/samples",
        "partners/screening-http",
      ],
      [...SERVICES.map((name) => `services/${name}`), "tools/platform", "clients/console"],
      ["tools/migrate", "tools/verify", "tools/conformance", "tools/simulate"],
      ["tools/bench", "tools/commands"],
    ],
    ground: ["partners/types.ts", "partners/account-numbers.ts"],
    atLeast: 1_200,
    seen: ["tools/verify/journal/fold.ts", "services/wallet-ledger/journal.model.ts"],
  },
  {
    root: "services/payment-links",
    files: "**/*.ts",
    floors: [
      ["links", "acquirers"],
      ["payments"],
      ["refunds", "billing"],
      ["checkout", "customers"],
      ["schemas.ts"],
      ["assembly.ts", "attention.ts", "notifications.ts", "partners.ts", "statistics.ts"],
      ["references.ts", "transaction-list.ts"],
      ["actions"],
    ],
    ground: ["points.ts"],
    atLeast: 120,
    seen: ["refunds/lifecycle.ts", "acquirers/acquirer.ts"],
  },
  {
    root: "services/webhooks",
    files: "**/*.ts",
    floors: [["exchange"], ["endpoints"], ["queue"], ["events"]],
    // Its types are those of the floors.
    ground: ["deps.ts"],
    atLeast: 25,
    seen: ["queue/attempt.ts", "exchange/exchange.ts"],
  },
];

const isWithin = (file: string, entry: string) => file === entry || file.startsWith(entry + sep);

/** The folder, or the file, of a floor; the root for a file beside the service file. */
function entryOf({ root, floors, ground }: House, file: string): string {
  const entry = [...floors.flat(), ...ground].find((each) => isWithin(file, each));
  if (entry === undefined && dirname(file) !== ".") throw new Error(`${file} has no floor`);
  return entry ?? root;
}

/** -1 is the ground; files beside the service file that have no floor are above all of them. */
function floorOf({ floors, ground }: House, entry: string): number {
  if (ground.includes(entry)) return -1;
  const floor = floors.findIndex((entries) => entries.includes(entry));
  return floor === -1 ? floors.length : floor;
}

/** The imports of the house's files that leave their folder and stay in the house. */
function readImports(house: House) {
  const root = resolve(house.root);
  const exclude = ["**/node_modules/**", "**/dist/**"];
  const known = new Set(globSync(house.files, { cwd: root, exclude }).map((f) => resolve(root, f)));
  return [...known].flatMap((path) =>
    importedBy(path)
      .filter((imported) => imported.startsWith("."))
      .map((imported) => resolve(dirname(path), imported))
      .filter((target) => known.has(target))
      .map((target) => ({ from: relative(root, path), to: relative(root, target) }))
      .filter(({ from, to }) => entryOf(house, from) !== entryOf(house, to)),
  );
}

describe.each(HOUSES)("$root", (house) => {
  const imports = readImports(house).map(({ from, to }) => ({
    ...{ from, to },
    fromFloor: floorOf(house, entryOf(house, from)),
    toFloor: floorOf(house, entryOf(house, to)),
  }));

  test("a folder imports only from lower floors", () => {
    const upwards = imports.filter((each) => each.fromFloor >= 0 && each.toFloor >= each.fromFloor);
    expect(upwards).toEqual([]);
  });

  test("the imports between the folders are seen", () => {
    const { floors, atLeast, seen } = house;
    const inFolders = imports.filter(({ fromFloor }) => fromFloor < floors.length);
    expect(inFolders.length).toBeGreaterThan(atLeast);
    const [from, to] = seen.map((path) => path.replaceAll("/", sep));
    expect(inFolders).toContainEqual(expect.objectContaining({ from, to }));
  });
});
