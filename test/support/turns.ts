// Turns of a process whose sweeps look often, because the test changes documents behind its back.

import type { Turns } from "../../shared/resumable/sweeps.ts";

export const OFTEN: Turns = { everyMs: 100, isOwn: () => true };
