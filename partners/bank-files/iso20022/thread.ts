// Reads answers of ISO 20022 in a thread of their own.

import { serveReads } from "../reader-thread.ts";
import { iso20022Format } from "./format.ts";

serveReads(iso20022Format);
