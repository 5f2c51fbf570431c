// Checks that the OpenAPI document of the gateway is valid.

import { Validator } from "@seriousme/openapi-schema-validator";
import { openApi } from "../../services/gateway/http/openapi.ts";
import { routes } from "../../services/gateway/routes/routes.ts";

const document = openApi(routes({ sandbox: true }));
const { valid, errors } = await new Validator().validate(document);
if (!valid) {
  process.stderr.write(`${JSON.stringify(errors, null, 2)}\n`);
  process.exitCode = 1;
}
