// Verification compares an event with its document only if a kind of document lists its type.

import { EVENT_TYPES } from "../../../shared/contracts/events.ts";
import { ALL_KINDS } from "../../../tools/verify/kinds/kinds.ts";

/** The types of events that tell of no resumable document. */
const WITHOUT_DOCUMENT = ["BALANCE", "ENDPOINT", "TEST", "LEDGER"];

test("every type of event has one kind of document, or none", () => {
  const known = [...ALL_KINDS.flatMap(({ eventTypes }) => eventTypes), ...WITHOUT_DOCUMENT];
  expect(known.toSorted()).toEqual(EVENT_TYPES.toSorted());
});
