// docs/integrate/personal-data.md is complete: it names every collection.

import { SCHEMAS } from "../../tools/migrate/schemas.ts";
import { readDocument } from "../support/document.ts";

const { page } = readDocument("docs/integrate/personal-data.md");

test.each(Object.values(SCHEMAS).flatMap((schemas) => Object.keys(schemas)))(
  "the inventory of personal data names the collection %s",
  (collection) => {
    expect(page).toContain(`\`${collection}\``);
  },
);
