// A bank of wires in a process of its own: it settles every payment of every file in `out`, with a
// status report in `answers`. Its argument is the folder of both.

import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { statusReport } from "../../support/bank/iso20022.ts";

const folder = process.argv[2] as string;

for (;;) {
  for (const name of readdirSync(join(folder, "out"))) {
    if (!name.endsWith(".xml") || name.startsWith(".")) continue;
    const report = statusReport(readFileSync(join(folder, "out", name)), {
      group: { status: "ACSC" },
    });
    const temporary = join(folder, "answers", `.${name}`);
    writeFileSync(temporary, report);
    renameSync(temporary, join(folder, "answers", name));
    renameSync(join(folder, "out", name), join(folder, "out", `.taken-${name}`));
  }
  await pause(20);
}
