// The whole cluster under faults from one seed, which the test prints: the checker finds nothing.

import { randomInt } from "node:crypto";
import { runCluster } from "./experiment.ts";

const SECONDS = 45;

test("money and answers are right under faults of processes, links, disks and clocks", async () => {
  const seed = Number(process.env.SEED ?? randomInt(2 ** 31));
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  say(`SEED=${seed}; again: npm run test:cluster -- --seed ${seed} --seconds ${SECONDS}`);
  const { findings, evidence, logs } = await runCluster({ seed, seconds: SECONDS, say });
  if (findings.length > 0) say(`The nodes' logs are in ${logs}`);
  expect(findings).toEqual([]);
  // A run in which nothing was accepted or harmed would prove nothing.
  expect(evidence.payments.length).toBeGreaterThan(0);
  expect(evidence.incidents.length).toBeGreaterThan(0);
});
