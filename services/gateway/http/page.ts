// A page: what a GET answers at a path beside the table.

import type { ServiceBroker } from "moleculer";
import type { Answer } from "./answer.ts";
import type { Refusal } from "./refusal.ts";

export interface Page {
  path: string;
  /** @param params of the path */
  serve(params: Record<string, string>, broker: ServiceBroker): Promise<Answer> | Answer;
  /** The answer to an error; the ordinary one by default. */
  refuse?(refusal: Refusal): Answer;
}
