// A page: the answer to a GET at a path that is not in the table.

import type { ServiceBroker } from "moleculer";
import type { Answer } from "./answer.ts";
import type { Refusal } from "./refusal.ts";

export interface Page {
  path: string;
  /** @param params the parameters of the path */
  serve(params: Record<string, string>, broker: ServiceBroker): Promise<Answer> | Answer;
  /** The answer to an error; the ordinary one by default. */
  refuse?(refusal: Refusal): Answer;
}
