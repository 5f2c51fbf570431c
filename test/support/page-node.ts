// The node of docs/integrate/internal-systems.md, run as a reader would run it: Moleculer with its
// defaults.

import { readFileSync } from "node:fs";
import { runNode, type Script } from "./scripts.ts";

export const NODE_PAGE = readFileSync("docs/integrate/internal-systems.md", "utf8");

/** @param namespace replaces the page's namespace if the test shares its NATS with others */
export function runPageNode(natsUrl: string, namespace = "payrail"): Script {
  const code = NODE_PAGE.match(/```js\n(.*?)```/s)?.[1] as string;
  const own = code.replace('namespace: "payrail"', `namespace: "${namespace}"`);
  const { PATH, HOME } = process.env;
  const args = ["--eval", own];
  return runNode("--input-type=module", args, { PATH, HOME, NATS_URL: natsUrl });
}
