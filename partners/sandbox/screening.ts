// The sandbox's screening, for development and tests: it denies recipients with `Deny` in their name,
// and has a person review those with `Review`.

import type { Screening } from "../types.ts";

export default function sandboxScreening(): Screening {
  return {
    name: "sandbox",
    test: true,
    async screen({ party: { name } }) {
      if (name.includes("Deny")) return { decision: "deny", code: "name" };
      if (!name.includes("Review")) return { decision: "allow" };
      return { decision: "review", reasons: ["The name contains Review"] };
    },
  };
}
