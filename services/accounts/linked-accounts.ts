// Links and unlinks accounts, and reads the data that a payout needs. An account belongs to the
// entity that owns its wallet, and only that entity pays out to it. Numbers leave this file sealed
// or, only to a rail, through `openInstrument`.

import { isIban } from "../../partners/account-numbers.ts";
import type { BankData, CardData, PrepaidCardData } from "../../shared/contracts/account-data.ts";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import type { InternationalData } from "../../shared/contracts/international-data.ts";
import type { OptionType } from "../../shared/contracts/linked-accounts.ts";
import { fail, failField } from "../../shared/errors.ts";
import { creationTime, readUuid } from "../../shared/ids.ts";
import type { Caller, Creation } from "../../shared/rpc/actions.ts";
import { fingerprint, type Sealed, seal, unseal } from "../../shared/security/seal.ts";
import { isDuplicate } from "../../shared/storage/database.ts";
import type { Deps } from "./deps.ts";
import { type LinkedAccount, sealedPlace } from "./linked-account.model.ts";
import { unlinkCounted } from "./lists/counts.ts";
import { findWallet } from "./wallets.ts";

type View = Result<"accounts.linkAccount">;

interface Linking
  extends Pick<LinkedAccount, "businessId" | "entityId" | "walletId" | "currency" | "optionType"> {
  label?: string;
  nickName?: string;
  applicationTokenId?: string;
  data: BankData | CardData | PrepaidCardData | InternationalData;
}

/** The fields that identify an account, from the data of its type. */
interface Identity {
  counterPartyName: string;
  lastFour: string;
  bankName?: string;
  sameAs: string[];
}

/**
 * Links an account to a wallet of the business.
 * @throws WALLET_NOT_FOUND; VALIDATION if the currency is not the wallet's; DUPLICATE_ACCOUNT,
 *   ENTITY_NOT_FOUND
 */
export async function linkAccount(
  deps: Deps,
  caller: Caller,
  { walletId, ...link }: Params<"accounts.linkAccount">,
  creation: Pick<Creation, "id">,
): Promise<View> {
  const wallet = await findWallet(caller, link.businessId, walletId);
  if (wallet.currency !== link.currency) failField("currency", "must be the wallet's");
  const { entityId } = wallet;
  return insertLinked(deps, { ...link, walletId, entityId }, creation);
}

/**
 * Stores a linked account of any type, from any route. An account that an earlier run of the
 * request has linked stays as it is.
 * @throws DUPLICATE_ACCOUNT if the wallet has it already; ENTITY_NOT_FOUND if its owner is being
 *   erased
 */
export async function insertLinked(
  { config, models, insertCounted }: Deps,
  { data, ...linking }: Linking,
  { id }: Pick<Creation, "id">,
): Promise<View> {
  const { businessId, entityId, optionType } = linking;
  // The time in the id, so that the order of ids is the order of createdAt.
  const madeAt = new Date(creationTime(id));
  const { sameAs, ...identity } = identify(optionType, data);
  const account: LinkedAccount = {
    _id: id,
    ...linking,
    entityType: entityId === businessId ? "BUSINESS" : "USER",
    ...identity,
    counterPartyEmail: data.email,
    counterPublicPartyEmail: "publicEmail" in data ? data.publicEmail : undefined,
    fingerprint: fingerprint(config, sameAs),
    sealed: seal(config, sealedPlace(id), JSON.stringify(data)),
    createdAt: madeAt,
    updatedAt: madeAt,
    unlinkedAt: null,
  };
  try {
    await insertCounted(account);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const linked = await models.linked_accounts
      .findById(id)
      .readConcern("majority")
      .lean<LinkedAccount>();
    return linked ? linkedAccountView(linked) : fail("DUPLICATE_ACCOUNT");
  }
  return linkedAccountView(account);
}

function identify(optionType: OptionType, data: Linking["data"]): Identity {
  switch (optionType) {
    case "bank":
      return bankIdentity(data as BankData);
    case "international_bank":
      return internationalIdentity(data as InternationalData);
    case "card":
    case "prepaid_card":
      return cardIdentity(data as CardData | PrepaidCardData);
  }
}

function bankIdentity(data: BankData): Identity {
  const { name, firstName, lastName, bankName, routingNumber, accountNumber } = data;
  return {
    counterPartyName: name ?? `${firstName} ${lastName}`,
    lastFour: accountNumber.slice(-4),
    bankName,
    sameAs: ["bank", routingNumber, accountNumber],
  };
}

/**
 * An IBAN identifies an account by itself; a local number does so only within its bank. The bank's
 * head office has the branch code XXX.
 */
function internationalIdentity(data: InternationalData): Identity {
  const { bankName, accountNumber, swiftOrBic } = data;
  const isPerson = data.recipientType === "personal";
  return {
    counterPartyName: isPerson ? `${data.firstName} ${data.lastName}` : data.name,
    lastFour: accountNumber.slice(-4),
    bankName,
    sameAs: isIban(accountNumber)
      ? ["iban", accountNumber]
      : ["international_bank", swiftOrBic.padEnd(11, "X"), accountNumber],
  };
}

function cardIdentity(data: CardData | PrepaidCardData): Identity {
  const { name, lastFourDigits, encryptedCardNumber } = data;
  const sameAs = ["card", encryptedCardNumber];
  return { counterPartyName: name, lastFour: lastFourDigits, sameAs };
}

/**
 * Changes the nickname of an account of the business.
 * @throws LINKED_ACCOUNT_NOT_FOUND
 */
export async function renameAccount(
  { models, clock }: Deps,
  { businessId, currency, linkedAccountId, nickName }: Params<"accounts.renameLinkedAccount">,
): Promise<View> {
  const renamed = await models.linked_accounts
    .findOneAndUpdate(
      { _id: linkedAccountId, businessId, currency, unlinkedAt: null },
      { $set: { nickName, updatedAt: new Date(clock.now()) } },
      { new: true },
    )
    .lean<LinkedAccount>();
  return renamed ? linkedAccountView(renamed) : fail("LINKED_ACCOUNT_NOT_FOUND");
}

/**
 * Unlinks an account: from now on only payouts that have its id already can find it.
 * @throws LINKED_ACCOUNT_NOT_FOUND
 */
export async function unlinkAccount(
  { models, clock }: Deps,
  { businessId, currency, linkedAccountId }: Params<"accounts.unlinkAccount">,
): Promise<Result<"accounts.unlinkAccount">> {
  const account = { _id: linkedAccountId, businessId, currency };
  const unlinked = await unlinkCounted(models.linked_accounts, clock, account);
  return unlinked ? { id: linkedAccountId } : fail("LINKED_ACCOUNT_NOT_FOUND");
}

type Destination = NonNullable<Result<"accounts.payoutDestinations">[number]>;

/** The query's result, without the sealed data. */
type Found = Pick<
  LinkedAccount,
  "_id" | "unlinkedAt" | "erasing" | Exclude<keyof Destination, "linkedAccountId" | "unreadable">
> & { sealed: Pick<Sealed, "keyId"> };

const DESTINATION = {
  businessId: 1,
  entityId: 1,
  entityType: 1,
  walletId: 1,
  currency: 1,
  optionType: 1,
  lastFour: 1,
  fingerprint: 1,
  unlinkedAt: 1,
  erasing: 1,
  "sealed.keyId": 1,
};

/**
 * The accounts to pay out to, in the order of the requests. One query by id reads all of them, at
 * the driver, because every withdrawal comes through here and mongoose makes it half as expensive
 * again. (An index that covers the fields was no faster and four times as large.) The result is
 * null for an account that does not exist, is unlinked, is being erased, is another entity's or is
 * in another currency. An account with data that cannot be opened is marked, because no rail could
 * learn where to pay.
 */
export async function payoutDestinations(
  { models, opener }: Deps,
  { requests }: Params<"accounts.payoutDestinations">,
): Promise<Result<"accounts.payoutDestinations">> {
  const asked = requests.map((request) => request.linkedAccountId);
  const ids = [...new Set(asked.filter((id) => readUuid(id) !== null))];
  if (ids.length === 0) return requests.map(() => null);
  const found = await models.linked_accounts.collection
    .find<Found>({ _id: { $in: ids as never[] } }, { projection: DESTINATION })
    .toArray();
  const byId = new Map(found.map((account) => [account._id, account]));
  return requests.map(({ entityId, linkedAccountId, currency, ofBusiness = false }) => {
    const account = byId.get(linkedAccountId);
    const owner = ofBusiness ? account?.businessId : account?.entityId;
    const theirs = owner === entityId && account?.currency === currency;
    if (!account || !theirs || account.unlinkedAt !== null) return null;
    const { _id, unlinkedAt: _, erasing, sealed, ...destination } = account;
    if (erasing !== undefined) return null;
    const unreadable = !opener.hasKey(sealed.keyId);
    return { linkedAccountId: _id, ...destination, ...(unreadable && { unreadable }) };
  });
}

/**
 * The account's data for a rail, with numbers in clear text; also for an unlinked account, because
 * earlier payouts still need it.
 * @throws LINKED_ACCOUNT_NOT_FOUND, UNREADABLE
 */
export async function openInstrument(
  { config, models }: Deps,
  { linkedAccountId }: Params<"accounts.instrument">,
): Promise<Result<"accounts.instrument">> {
  const account = await models.linked_accounts
    .findById(linkedAccountId, { optionType: 1, sealed: 1, erasedAt: 1 })
    .lean<Pick<LinkedAccount, "optionType" | "sealed" | "erasedAt">>();
  if (!account || account.erasedAt) return fail("LINKED_ACCOUNT_NOT_FOUND");
  const data = unseal(config, sealedPlace(linkedAccountId), account.sealed);
  return { optionType: account.optionType, data: JSON.parse(data) as Record<string, string> };
}

function linkedAccountView(account: LinkedAccount): View {
  return {
    id: account._id,
    currency: account.currency,
    optionType: account.optionType,
    walletId: account.walletId,
    counterPartyName: account.counterPartyName,
    counterPartyEmail: account.counterPartyEmail,
    nickName: account.nickName ?? null,
    lastFourDigits: account.lastFour,
    createdAt: account.createdAt.toISOString(),
    updatedAt: account.updatedAt.toISOString(),
  };
}
