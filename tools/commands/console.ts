// npm run console: builds the pages of /console.

import { buildConsole } from "../platform/console.ts";
import { live } from "../platform/lifetime.ts";
import { takeNoArguments } from "../platform/usage.ts";

const USAGE = `npm run console

Builds the pages of /console into clients/console/dist. npm start, npm run dev and the tests do it
themselves.
`;

await live(async (lifetime) => {
  await takeNoArguments(USAGE, lifetime);
  await buildConsole();
  await lifetime.end(0);
});
