// The sandbox's screening, for development and tests: it denies recipients whose name has the word
// `Deny`, and has a person review those with the word `Review`.

import type { Screening } from "../types.ts";

export default function sandboxScreening(): Screening {
  return {
    name: "sandbox",
    test: true,
    async screen({ party: { name } }) {
      if (/\bDeny\b/.test(name)) return { decision: "deny", code: "name" };
      if (!/\bReview\b/.test(name)) return { decision: "allow" };
      return { decision: "review", reasons: ["The name contains Review"] };
    },
  };
}
