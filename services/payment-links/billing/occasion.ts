// Occasions: the reasons for which a subscription is billed. Documents store an occasion as text,
// and the keys of renewals are made from that text, so its form never changes. This file alone
// reads and writes it.

/**
 * - period: one period, at its beginning, or at its end if usage is billed
 * - seats: the changes of seats up to and including one that is charged immediately
 * - end: the amounts that are left once the subscription is cancelled
 */
export type Occasion =
  | { kind: "period"; period: number }
  | { kind: "seats"; changeId: string }
  | { kind: "end" };

export function formatOccasion(occasion: Occasion): string {
  switch (occasion.kind) {
    case "period":
      return `period:${occasion.period}`;
    case "seats":
      return `seats:${occasion.changeId}`;
    case "end":
      return "end";
  }
}

/** @throws Error for text that is no occasion */
export function parseOccasion(text: string): Occasion {
  const [kind, value = ""] = text.split(":");
  if (kind === "period") return { kind, period: Number(value) };
  if (kind === "seats") return { kind, changeId: value };
  if (text === "end") return { kind: "end" };
  throw new Error(`${text} is not an occasion`);
}
