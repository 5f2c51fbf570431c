// A webhooks service in its own process, for tests that kill it. The environment is a service's;
// TEST_NAMESPACE is the namespace of the system that it joins. TEST_DIES is `before` or `after`,
// the number of a write to the database and a pattern for such writes: the process is killed right
// before it sends that write, or right after the write is answered.

import mongoose from "mongoose";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { createBroker } from "../../shared/rpc/broker.ts";

const WRITES = ["updateMany", "findOneAndUpdate"] as const;
type Write = (this: unknown, ...args: unknown[]) => Promise<unknown>;

function dieAt(rule: string): void {
  const [when, nth, ...pattern] = rule.split(" ");
  const isMeant = new RegExp(pattern.join(" "));
  let left = Number(nth);
  /** Replaces a method with one that dies; `describe` gets its object and its arguments. */
  const watch = (
    prototype: Record<string, Write>,
    method: string,
    describe: (on: unknown, args: unknown[]) => string,
  ) => {
    const write = prototype[method] as Write;
    prototype[method] = async function (...args) {
      const dies = isMeant.test(describe(this, args)) && --left === 0;
      if (dies && when === "before") return die();
      const result = await write.apply(this, args);
      return dies ? die() : result;
    };
  };
  const { Collection, Db } = mongoose.mongo;
  // The data of the write; not the options, which may hold the whole driver.
  watch(Db.prototype as never, "command", (_db, [command]) => {
    const [[name, collection] = []] = Object.entries(command as object);
    return `${name} ${collection} ${JSON.stringify(command)}`;
  });
  for (const name of WRITES) {
    watch(Collection.prototype as never, name, (on, args) => {
      const { collectionName } = on as mongoose.mongo.Collection;
      return `${name} ${collectionName} ${JSON.stringify(args.slice(0, 2))}`;
    });
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
