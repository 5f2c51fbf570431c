// A webhooks service in its own process, for tests that kill it. The environment is a service's;
// TEST_NAMESPACE is the namespace of the system that it joins. TEST_DIES is `before` or `after`,
// the number of a write to the database and a pattern for such writes: the process is killed right
// before it sends that write, or right after the write is answered.

import mongoose from "mongoose";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { createBroker } from "../../shared/broker.ts";
import { loadConfig } from "../../shared/env.ts";

const WRITES = ["insertMany", "updateMany", "bulkWrite", "findOneAndUpdate"] as const;
type Collection = mongoose.mongo.Collection;
type Write = (this: Collection, ...args: unknown[]) => Promise<unknown>;

function dieAt(rule: string): void {
  const [when, nth, ...pattern] = rule.split(" ");
  const isMeant = new RegExp(pattern.join(" "));
  let left = Number(nth);
  const prototype = mongoose.mongo.Collection.prototype as unknown as Record<string, Write>;
  for (const name of WRITES) {
    const write = prototype[name] as Write;
    prototype[name] = async function (...args) {
      // The collection and the data of the write; not the options, which may hold the whole driver.
      const isIt = isMeant.test(
        `${name} ${this.collectionName} ${JSON.stringify(args.slice(0, 2))}`,
      );
      const dies = isIt && --left === 0;
      if (dies && when === "before") return die();
      const result = await write.apply(this, args);
      return dies ? die() : result;
    };
  }
}

/** Never returns, so no code runs while the signal is on its way. */
function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

if (process.env.TEST_DIES) dieAt(process.env.TEST_DIES);
const config = loadConfig(process.env);
const broker = createBroker(config, "webhooks", process.env.TEST_NAMESPACE);
broker.createService(webhooks(config));
await broker.start();
// Ends with the test that started it.
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
