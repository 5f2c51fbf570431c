// The documentation of payout methods and fees has the rows of the code's tables.

import { choosePayoutMethod } from "../../services/payouts/request.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { FEE_KINDS } from "../../shared/config/fee-table.ts";
import { PAYOUT_METHOD_TABLE, PAYOUT_METHODS } from "../../shared/config/payout-methods.ts";
import { OPTION_TYPES } from "../../shared/contracts/linked-accounts.ts";
import { withdrawalBody } from "../../shared/contracts/payouts.ts";
import type { Fee } from "../../shared/fees.ts";
import { toDecimal } from "../../shared/money.ts";
import { readDocument } from "../support/document.ts";
import { testEnvironment } from "../support/system.ts";

type RoutingType = Parameters<typeof choosePayoutMethod>[1];

const REST_API = readDocument("docs/integrate/rest-api.md");
const ROUTING_TYPES = withdrawalBody.routingType.schema.enum as NonNullable<RoutingType>[];
const { fees } = loadConfig(testEnvironment());

/** The texts in code marks. */
const named = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);

/** A fee as the pages show it. */
function textOf({ fixed, basisPoints, min, max }: Fee): string {
  const parts = [basisPoints > 0 && `${basisPoints / 100} %`, fixed > 0 && toDecimal(fixed)];
  const least = min > 0 ? `, at least ${toDecimal(min)}` : "";
  const most = max === null ? "" : `, at most ${toDecimal(max)}`;
  return `${parts.filter(Boolean).join(" + ") || toDecimal(0)}${least}${most}`;
}

/** The method of each account and routing type; those that are refused are left out. */
function allChoices() {
  return OPTION_TYPES.flatMap((account) =>
    [undefined, ...ROUTING_TYPES].flatMap((routing) => {
      try {
        return [{ account, routing, method: choosePayoutMethod(account, routing) }];
      } catch {
        return [];
      }
    }),
  );
}

test("every payout method is chosen for an account and a routing type", () => {
  const chosen = new Set(allChoices().map(({ method }) => method));
  expect(chosen).toEqual(new Set(PAYOUT_METHODS));
});

test("every payout method has an event name of its own", () => {
  const names = PAYOUT_METHODS.map((method) => PAYOUT_METHOD_TABLE[method].eventName);
  expect(new Set(names).size).toBe(names.length);
});

test("the page of the REST API has the method, its event name and its fee for every choice", () => {
  const documented = REST_API.table("| Linked account | `routingType` |").flatMap(
    ([accounts, routing = "", , eventName = "", fee]) => {
      const others = routing === "any" ? ["none", ...ROUTING_TYPES] : named(routing);
      const all = routing.startsWith("none") ? ["none", ...others] : others;
      return named(accounts).flatMap((account) =>
        all.map((each) => `${account} ${each}: ${named(eventName)[0]} ${fee}`),
      );
    },
  );
  const actual = allChoices().map(({ account, routing = "none", method }) => {
    const { eventName } = PAYOUT_METHOD_TABLE[method];
    return `${account} ${routing}: ${eventName} ${textOf(fees[method].USD)}`;
  });
  expect(documented.toSorted()).toEqual(actual.toSorted());
  const rule = REST_API.table("| Field | Required | Rule |").find(([field]) =>
    field?.includes("routingType"),
  );
  expect(named(rule?.[2])).toEqual(ROUTING_TYPES);
});

test("the pages name the methods that pass PROCESSING_PAY_OUT", () => {
  const passing = PAYOUT_METHODS.filter((method) => PAYOUT_METHOD_TABLE[method].isAcceptedFirst);
  const list = `(${passing.join(", ")})`;
  expect(REST_API.page).toContain(`accepted ${list}`);
  expect(REST_API.page).toContain(`\`PROCESSING_PAY_OUT\` ${list}`);
  expect(readDocument("docs/integrate/webhooks.md").page).toContain(
    `\`PROCESSING_PAY_OUT\` ${list}`,
  );
});

test("the page of settings has the default fee of every kind", () => {
  const { page } = readDocument("docs/operate/configuration.md");
  const [, , cell] = (page.match(/^\| `FEES` \|.*$/m)?.[0] ?? "").split("|");
  const defaults = FEE_KINDS.map((kind) => `\`${kind}\` ${textOf(fees[kind].USD)}`);
  expect(cell?.trim()).toBe(defaults.join("; "));
});

test("docs/integrate/payment-links.md names every kind of fee of collections", () => {
  const { page } = readDocument("docs/integrate/payment-links.md");
  const [, section = ""] = /^### Fees$(.*?)^### /ms.exec(page) ?? [];
  const methods: readonly string[] = PAYOUT_METHODS;
  const kinds = FEE_KINDS.filter((kind) => !methods.includes(kind));
  expect(kinds.filter((kind) => !section.includes(`\`${kind}\``))).toEqual([]);
});
