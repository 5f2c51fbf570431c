// Temporary: the workload and the checker on the cluster of the other tests.
import { writeFileSync } from "node:fs";

process.env.TEST_MONGO_URL = "mongodb://127.0.0.1:1/x";
const { startCluster } = await import("../support/cluster.ts");
const { runCluster } = await import("./experiment.ts");
const seed = Number(process.argv[2] ?? 1);
const seconds = Number(process.argv[3] ?? 20);
const result = await runCluster({ seed, seconds }, async (environment) => {
  const cluster = await startCluster(environment);
  return {
    payrail: { gateways: [cluster.gateway.http.url], config: cluster.config, db: cluster.db },
    logs: cluster.logs,
    stop: cluster.stop,
  };
});
writeFileSync("/tmp/payrail-b-evidence.json", JSON.stringify(result));
for (const { rule, what, evidence } of result.findings.slice(0, 30))
  console.log(rule, "|", what, "|", JSON.stringify(evidence).slice(0, 300));
console.log(result.findings.length, "findings", result.evidence.history.length, "requests");
const byRule: Record<string, number> = {};
for (const { rule } of result.findings) byRule[rule] = (byRule[rule] ?? 0) + 1;
console.log(byRule, result.restMs);
process.exit(0);
