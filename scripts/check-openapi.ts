// Whether the OpenAPI document that the gateway serves is a valid one.

import { Validator } from "@seriousme/openapi-schema-validator";
import { healthRoutes } from "../services/gateway/health.ts";
import { openApi } from "../services/gateway/openapi.ts";
import { routes } from "../services/gateway/routes.ts";
import { loadConfig } from "../shared/env.ts";

const someKey = Buffer.alloc(32).toString("base64");
const table = routes(
  loadConfig({
    JWT_SECRET: someKey,
    ENCRYPTION_KEYS: `none:${someKey}`,
    FINGERPRINT_KEY: someKey,
  }),
);
const document = openApi([...table, ...healthRoutes(table)]);
const { valid, errors } = await new Validator().validate(document as Record<string, unknown>);
if (!valid) {
  process.stderr.write(`${JSON.stringify(errors, null, 2)}\n`);
  process.exitCode = 1;
}
