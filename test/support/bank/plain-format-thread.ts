// Reads answers of `plainFormat` in a thread of their own.

import { serveReads } from "../../../partners/bank-files/reader-thread.ts";
import { plainFormat } from "./plain-format.ts";

serveReads(() => plainFormat);
