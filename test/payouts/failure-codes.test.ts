// The failure code of a payout for programs, by the rail's code.

import { failureCode, merchantReason } from "../../services/payouts/rails/merchant-reasons.ts";
import { FAILURE_CODES } from "../../shared/contracts/transactions.ts";
import { readDocument } from "../support/document.ts";

test.each([
  ["account_not_found", "account_not_found"],
  ["account_closed", "account_closed"],
  ["duplicate", "duplicate"],
  ["compliance", "compliance"],
  ["cancelled", "cancelled"],
  ["cancelled_by_bank", "cancelled"],
])("%s is %s, also for a payment that came back", (railCode, code) => {
  for (const wasPaid of [false, true]) {
    expect(failureCode(railCode, "bank", wasPaid)).toBe(code);
  }
});

test.each(["R01", "processing_error", "constructor", ""])(
  "the rail's own code %j is processing_failed, or returned_by_bank once it was paid",
  (railCode) => {
    expect(failureCode(railCode, "bank", false)).toBe("processing_failed");
    expect(failureCode(railCode, "bank", true)).toBe("returned_by_bank");
  },
);

test("only cards are declined as cards", () => {
  expect(failureCode("card_declined", "card", false)).toBe("card_declined");
  expect(failureCode("card_declined", "prepaid_card", false)).toBe("card_declined");
  expect(failureCode("card_declined", "bank", false)).toBe("processing_failed");
});

test("the page has every code beside its reason", () => {
  const rows = readDocument("docs/integrate/rest-api.md").table(
    "| Reason | `failureCode` | Cause |",
  );
  let reason = "";
  const documented = rows.map(([of = "", code = ""]) => {
    reason = of.replaceAll("`", "") || reason;
    return [code.replaceAll("`", ""), reason];
  });
  expect(new Set(documented.map(([code]) => code))).toEqual(new Set(FAILURE_CODES));
  for (const [code = "", expected] of documented) {
    const kind = code === "card_declined" ? "card" : "bank";
    expect(merchantReason(code, kind)).toBe(expected);
  }
});
