// The meeting point of the parts of the cluster test: the plant runs payrail, the workload sends
// requests to it, the nemesis harms it, and the checker judges what was recorded.

import type { mongo } from "mongoose";
import type { Config } from "../../shared/config/config.ts";

/** The parts of a running payrail that the workload and the checker need. */
export interface Payrail {
  /** The base URL of each gateway process, such as http://127.0.0.1:4711. */
  gateways: string[];
  /** The configuration whose keys sign the tokens (tokenMaker in test/support/http.ts). */
  config: Config;
  /** The database as an observer reads it: no fault cuts its links, and it survives elections. */
  db: mongo.Db;
}

/** A fault that began and ended, for the figures. */
export interface Incident {
  /** The fault's name, such as "the primary is killed". */
  name: string;
  /** The nodes that it hit, such as "mongo-1". */
  target: string;
  /** Epoch ms. */
  from: number;
  /** Epoch ms, when the fault was healed; the nodes may need longer to recover. */
  until: number;
}
