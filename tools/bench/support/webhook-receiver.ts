// A merchant's webhook receiver in a separate process. Answers over the channel with the number of
// requests since the last question.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

let requests = 0;

const server = createServer((request, response) => {
  request.resume().once("end", () => {
    requests += 1;
    response.writeHead(200).end();
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on("message", () => {
  process.send?.(requests);
  requests = 0;
});
process.on("disconnect", () => process.exit());
