// npm run console: builds the pages of /console into clients/console/dist. npm start, npm run dev
// and the tests do it themselves.

import { buildConsole } from "../platform/console.ts";

await buildConsole();
