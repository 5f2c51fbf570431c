// API clients of a business. A secret is shown once and stored as a digest; no view shows either. A
// rotation of the secret and a disabling end all earlier tokens of the client for good, because the
// same update raises the value that tokens must carry (`tokensFromS`).

import { ALL_SCOPES } from "../../shared/contracts/accounts.ts";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import type { Creation } from "../../shared/rpc/actions.ts";
import { digest } from "../../shared/security/secrets.ts";
import type { ApiClient } from "./api-client.model.ts";
import type { Deps } from "./deps.ts";

type ClientKey = Params<"accounts.client">;
type View = Result<"accounts.client">;
type ViewWithSecret = Result<"accounts.createClient">;

/**
 * Creates a client. Its secret is in the result only and cannot be read again, except by the key of
 * the request.
 */
export async function createClient(
  { models, clock }: Deps,
  { businessId, name, scopes = [ALL_SCOPES], allowedAddresses }: Params<"accounts.createClient">,
  { id, secret: clientSecret }: Creation,
): Promise<ViewWithSecret> {
  const client = await models.api_clients.create({
    _id: id,
    businessId,
    ...(name !== undefined && { name }),
    scopes: [...new Set(scopes)],
    ...(allowedAddresses && { allowedAddresses: [...new Set(allowedAddresses)] }),
    secretHash: digest(clientSecret),
    tokensFromS: 0,
    createdAt: new Date(clock.now()),
  });
  return { ...clientView(client), clientSecret };
}

export async function listClients(
  { models }: Deps,
  { businessId, ...paging }: Params<"accounts.clients">,
): Promise<Result<"accounts.clients">> {
  const { documents, meta } = await models.api_clients.list({ businessId }, paging);
  return { items: documents.map(clientView), meta };
}

/** @throws CLIENT_NOT_FOUND if it does not exist or is another business's */
export async function findClient({ models }: Deps, key: ClientKey): Promise<View> {
  const client = await models.api_clients.findOne(clientFilter(key));
  return client ? clientView(client) : fail("CLIENT_NOT_FOUND");
}

/** By the database's clock, because the clocks of two nodes may differ. */
const NOW_S = { $divide: [{ $toLong: "$$NOW" }, 1_000] };
/** A value above that of any token of the client; a disabled client's stays null. */
const RAISED = {
  $cond: [
    { $eq: ["$tokensFromS", null] },
    null,
    { $max: [NOW_S, { $add: ["$tokensFromS", 0.001] }] },
  ],
};

/**
 * Disables or enables a client, and changes its addresses; a repeated call changes nothing.
 * @throws CLIENT_NOT_FOUND
 */
export async function updateClient(
  { models }: Deps,
  { disabled, allowedAddresses, ...key }: Params<"accounts.updateClient">,
): Promise<View> {
  const tokensFromS = disabled ? null : { $ifNull: ["$tokensFromS", NOW_S] };
  const changed = {
    ...(disabled !== undefined && { tokensFromS }),
    ...(allowedAddresses && { allowedAddresses: [...new Set(allowedAddresses)] }),
  };
  const client = await models.api_clients.change(clientFilter(key), [{ $set: changed }]);
  return client ? clientView(client) : fail("CLIENT_NOT_FOUND");
}

/**
 * Gives a client another secret. The previous secret is invalid from now on, and its tokens end. Of
 * two concurrent rotations the later one decides the client's secret.
 * @throws CLIENT_NOT_FOUND
 */
export async function rotateSecret(
  { models }: Deps,
  key: ClientKey,
  { secret: clientSecret }: Pick<Creation, "secret">,
): Promise<ViewWithSecret> {
  const secretHash = digest(clientSecret);
  const client = await models.api_clients.change(clientFilter(key), [
    { $set: { secretHash, rotatedAt: "$$NOW", tokensFromS: RAISED } },
  ]);
  return client ? { ...clientView(client), clientSecret } : fail("CLIENT_NOT_FOUND");
}

/**
 * The least tokensFromS that each client's tokens must carry; null if disabled, 0 if unknown. With
 * the allowed addresses beside it, if the caller asks for them and the client has any.
 */
export async function tokensFrom(
  { models }: Deps,
  { clientIds, withAddresses = false }: Params<"accounts.tokensFrom">,
): Promise<Result<"accounts.tokensFrom">> {
  const found = await models.api_clients.findByIds(clientIds);
  const byId = new Map(found.map((client) => [client._id, client]));
  return clientIds.map((id) => {
    const { tokensFromS = 0, allowedAddresses = [] } = byId.get(id) ?? {};
    const isBound = withAddresses && tokensFromS !== null && allowedAddresses.length > 0;
    return isBound ? { tokensFromS, allowedAddresses } : tokensFromS;
  });
}

function clientFilter({ businessId, clientId }: ClientKey) {
  return { _id: clientId, businessId };
}

function clientView(client: ApiClient): View {
  return {
    id: client._id,
    name: client.name ?? null,
    scopes: client.scopes,
    allowedAddresses: client.allowedAddresses ?? [],
    disabled: client.tokensFromS === null,
    createdAt: client.createdAt.toISOString(),
    rotatedAt: client.rotatedAt?.toISOString() ?? null,
  };
}
