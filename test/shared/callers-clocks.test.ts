// Deadlines of callers whose clocks differ from the receiver's.

import { readerOfDeadlines } from "../../shared/rpc/callers-clocks.ts";

const LONGEST_MS = 5_000;

/** A receiver and its callers, in a time that the test sets; callers set deadlines at once. */
function receiver() {
  let time = 1_000_000;
  let ownOffset = 0;
  const read = readerOfDeadlines({ now: () => time + ownOffset, elapsed: () => time });
  return {
    pass: (ms: number) => {
      time += ms;
    },
    setAhead: (ms: number) => {
      ownOffset += ms;
    },
    /**
     * @param offset of the caller's clock, in ms
     * @param delay how long the message is on its way, in ms
     * @param spent how much of its time the caller has used before, in ms
     * @returns the time that is left when the message arrives
     */
    leftOf({ caller = "gateway", offset = 0, delay = 0, spent = 0 }): number {
      const deadline = time - delay - spent + offset + LONGEST_MS;
      const context = { nodeID: caller, action: { name: "payouts.withdraw" } };
      return read(context, deadline, LONGEST_MS) - (time + ownOffset);
    },
  };
}

test.each([0, 15_000, -15_000, 600_000, -600_000])(
  "a caller whose clock is %d ms ahead gives its whole time",
  (offset) => {
    expect(receiver().leftOf({ offset })).toBe(LONGEST_MS);
  },
);

test("time on the way and time that the caller has used are no longer left", () => {
  const { leftOf } = receiver();
  leftOf({ offset: 60_000 });
  expect(leftOf({ offset: 60_000, delay: 300 })).toBe(LONGEST_MS - 300);
  expect(leftOf({ offset: 60_000, spent: 4_000 })).toBe(LONGEST_MS - 4_000);
});

test("a message that was held up for longer than its time is late", () => {
  const { leftOf, pass } = receiver();
  leftOf({ offset: -60_000 });
  pass(20_000);
  expect(leftOf({ offset: -60_000, delay: 20_000 })).toBe(-15_000);
});

test("the callers' clocks are learnt one by one", () => {
  const { leftOf } = receiver();
  expect(leftOf({ caller: "one", offset: 60_000 })).toBe(LONGEST_MS);
  expect(leftOf({ caller: "two", offset: -60_000 })).toBe(LONGEST_MS);
  expect(leftOf({ caller: "one", offset: 60_000 })).toBe(LONGEST_MS);
});

test.each([
  ["caller's", 0, 30_000],
  ["caller's", 0, -30_000],
  ["receiver's", 30_000, 0],
  ["receiver's", -30_000, 0],
])("a %s clock that is changed is learnt anew within a minute", (_whose, own, offset) => {
  const { leftOf, pass, setAhead } = receiver();
  for (let i = 0; i < 120; i++, pass(500)) leftOf({});
  setAhead(own);
  for (let i = 0; i < 121; i++, pass(500)) {
    // Meanwhile a caller has at most the time that it gave.
    expect(leftOf({ offset })).toBeLessThanOrEqual(LONGEST_MS);
  }
  expect(leftOf({ offset })).toBe(LONGEST_MS);
});
