// The spans of actions.

import { inSpan, type SpanFacts } from "../../observability/spans.ts";
import { aroundActions } from "./middleware.ts";

export const spans = aroundActions((next, { name }) => {
  const attributes = { "rpc.system.name": "moleculer", "rpc.method": name };
  const facts: SpanFacts = { kind: "server", attributes };
  return (context) => inSpan(name, facts, () => next(context));
});
