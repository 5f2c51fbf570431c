// All amounts of payrail have two decimals, so its currencies have them too; and the documentation
// lists the currencies.

import { CURRENCIES } from "../../shared/money.ts";
import { readDocument } from "../support/document.ts";

test.each(CURRENCIES)("%s has two decimals", (currency) => {
  const form = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions();
  expect(form.maximumFractionDigits).toBe(2);
});

test.each([
  ["docs/integrate/rest-api.md", "| currency |"],
  ["docs/integrate/payment-links.md", "| `currency` |"],
])("%s lists the currencies", (path, row) => {
  const lines = readDocument(path).page.split("\n");
  const line = lines.find((each) => each.startsWith(row)) ?? "";
  const [, , cell = ""] = line.split("|");
  const codes = [...cell.matchAll(/`([A-Z]{3})`/g)].map(([, code]) => code);
  expect(codes).toEqual([...CURRENCIES]);
});
