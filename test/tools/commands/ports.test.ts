// Free ports for the parts that are started.

import { once } from "node:events";
import { createServer } from "node:net";
import { freePort } from "../../../tools/platform/ports.ts";

test("ports that are asked for at once differ, though none is in use yet", async () => {
  const ports = await Promise.all(Array.from({ length: 500 }, () => freePort()));
  expect(new Set(ports).size).toBe(500);
});

test("a port in use is left out", async () => {
  const used = (await freePort()) + 1;
  const server = createServer().listen(used, "127.0.0.1");
  await once(server, "listening");
  try {
    expect(await freePort()).not.toBe(used);
  } finally {
    server.close();
  }
});
