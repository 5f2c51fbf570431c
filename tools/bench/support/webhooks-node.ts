// The webhooks service in a separate process. Answers over the channel with its memory after a
// garbage collection.

import webhooks from "../../../services/webhooks/webhooks.service.ts";
import { loadConfig } from "../../../shared/config/env.ts";
import { createBroker } from "../../../shared/rpc/broker.ts";

const config = loadConfig(process.env);
const broker = createBroker(config, "webhooks");
broker.createService(webhooks(config));
await broker.start();
process.on("message", () => {
  global.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.send?.({ heapBytes: heapUsed, rssBytes: rss });
});
process.on("disconnect", () => void broker.stop().then(() => process.exit()));
process.send?.("ready");
