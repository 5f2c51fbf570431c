// Names in place of ids.

import { call, PayrailError } from "../api.ts";
import { useLoad } from "../load.ts";
import { href } from "../router.ts";

/** The names that were read: many rows of a list are about one business. */
const names = new Map<string, Promise<string | null>>();

function readName(businessId: string): Promise<string | null> {
  const known = names.get(businessId);
  if (known) return known;
  const name = call("GET /v1/admin/businesses/{businessId}", { businessId }).then(
    (business) => business.name,
    (error: unknown) => {
      // Any other failure may pass, so that the next page asks again.
      if (!(error instanceof PayrailError && error.status === 404)) names.delete(businessId);
      return null;
    },
  );
  names.set(businessId, name);
  return name;
}

/** A business by its name, for operators; by the end of its id while the name is not known. */
export function BusinessName({ id }: { id: string }) {
  const { data: name } = useLoad(id, () => readName(id));
  return (
    <a href={href(["businesses", id])} title={id}>
      {name ?? `…${id.slice(-8)}`}
    </a>
  );
}
