// Reads answers to ACH files in a thread of their own.

import { serveReads } from "../reader-thread.ts";
import { nachaFormat } from "./format.ts";

serveReads(nachaFormat);
