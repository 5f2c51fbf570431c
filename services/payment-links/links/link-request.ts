// The request of a payment link (docs/integrate/rest-api.md, Payment links): the rules that connect
// its fields, its defaults, and its prices.

import type { Clock } from "../../../shared/clock.ts";
import { checker, type Partly } from "../../../shared/contracts/checker.ts";
import { reservedName } from "../../../shared/contracts/compound-fields.ts";
import {
  LEAST_AMOUNT,
  type LinkRequest,
  linkRequest,
  type RecurringCharge,
} from "../../../shared/contracts/payment-link-data.ts";
import { failField } from "../../../shared/errors.ts";
import { computeFee, type Fee } from "../../../shared/fees.ts";
import { MAX_AMOUNT_MINOR, toDecimal, toMinor } from "../../../shared/money.ts";
import { chargeAmounts, isChargeable } from "./charge-amounts.ts";
import type { LinkTerms, PaymentLink } from "./link.model.ts";

/** A wrong field by its path, and the rule that it breaks. */
type Misfit = [path: string, says: string];
/** The fields of a request that are right by themselves. */
type Asked = Partly<LinkRequest>;
type IsWrong = (path: string) => boolean;

/** The longest URL that the webhooks service takes, in characters. */
const MAX_URL = 2_048;

/**
 * Checks a request and trims it in place.
 * @throws VALIDATION that names every wrong field, also those that are wrong only beside others
 */
export type CheckLinkRequest = (body: unknown) => LinkRequest;

export const createLinkCheck = (clock: Clock): CheckLinkRequest =>
  checker(linkRequest, (asked, isWrong) => [
    ...wrongAmount(asked, isWrong),
    ...wrongDates(asked, isWrong, new Date(clock.now())),
    ...wrongCharge(asked, isWrong),
    ...wrongNames("dataCollections", asked.dataCollections),
    ...wrongNames("customFields", asked.customFields),
    ...wrongCurrencies(asked),
    ...wrongDestination(asked.advancedConfig),
  ]);

/** Consumption and seats are charged by their own prices; the amount is stored with them. */
export function isAmountCharged({ checkoutType, recurringCharge }: Asked): boolean {
  return checkoutType !== "recurring" || recurringCharge?.type === "subscription";
}

function wrongAmount(asked: Asked, isWrong: IsWrong): Misfit[] {
  const { checkoutType, recurringCharge, amount } = asked;
  // The rule depends on these fields.
  if (isWrong("checkoutType") || (checkoutType === "recurring" && !recurringCharge?.type))
    return [];
  if (!isAmountCharged(asked) || (amount !== undefined && amount >= LEAST_AMOUNT)) return [];
  return [["amount", `at least ${LEAST_AMOUNT} for one-time links and subscriptions`]];
}

function wrongDates({ expiredAt, recurringCharge }: Asked, isWrong: IsWrong, now: Date): Misfit[] {
  const wrong: Misfit[] = [];
  const expiresAt = expiredAt === undefined ? oneYearAfter(now) : new Date(expiredAt);
  if (expiresAt <= now) wrong.push(["expiredAt", "in the future"]);
  const { startDate } = recurringCharge ?? {};
  if (startDate === undefined) return wrong;
  const startsAt = new Date(startDate);
  if (startsAt < midnightBefore(now) || (!isWrong("expiredAt") && startsAt >= expiresAt)) {
    wrong.push(["recurringCharge.startDate", "today (UTC) or later, and before expiredAt"]);
  }
  return wrong;
}

/**
 * A start may be today: as a date alone it is a midnight that has passed. A customer who saves a
 * card after it has no trial.
 */
function midnightBefore(now: Date): Date {
  return new Date(new Date(now).setUTCHours(0, 0, 0, 0));
}

function oneYearAfter(now: Date): Date {
  const date = new Date(now);
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date;
}

function wrongCharge({ checkoutType, recurringCharge: charge }: Asked, isWrong: IsWrong): Misfit[] {
  if (isWrong("checkoutType")) return charge ? wrongConsumption(charge) : [];
  if (checkoutType !== "recurring") {
    return charge ? [["recurringCharge", "left out unless checkoutType is recurring"]] : [];
  }
  if (!charge) return [["recurringCharge", "given where checkoutType is recurring"]];
  return [...wrongDetails(charge), ...wrongConsumption(charge)];
}

/** Each type of charge but the subscription has its own details, and no other type has them. */
function wrongDetails(charge: Partly<RecurringCharge>): Misfit[] {
  if (!charge.type) return [];
  const details = [
    ["consumptionDetails", "consumption"],
    ["seatDetails", "seating"],
  ] as const;
  return details.flatMap(([name, type]): Misfit[] => {
    const isThere = charge[name] !== undefined;
    const isDue = charge.type === type;
    if (isThere === isDue) return [];
    const says = isDue ? `given where type is ${type}` : `left out unless type is ${type}`;
    return [[`recurringCharge.${name}`, says]];
  });
}

function wrongConsumption({ consumptionDetails: details }: Partly<RecurringCharge>): Misfit[] {
  if (details?.minimumUnits === undefined || details.baseFee !== undefined) return [];
  return [["recurringCharge.consumptionDetails.baseFee", "given where minimumUnits is"]];
}

/** The customer's answers are sent back under these names. */
function wrongNames(list: string, names: (string | undefined)[] = []): Misfit[] {
  return names.flatMap((name = "", i): Misfit[] => {
    const reserved = reservedName(name);
    return reserved === null ? [] : [[`${list}[${i}]`, reserved]];
  });
}

function wrongCurrencies({ currency, cartItems = [] }: Asked): Misfit[] {
  if (currency === undefined) return [];
  return cartItems.flatMap((item, i): Misfit[] =>
    item?.currency !== undefined && item.currency !== currency
      ? [[`cartItems[${i}].currency`, "the link's"]]
      : [],
  );
}

/** Whether it may be a destination at all is for the webhooks service to say. */
function wrongDestination({ websiteUrl, webhookPath }: Partly<Destination> = {}): Misfit[] {
  const wrong: Misfit[] = [];
  const origin = websiteUrl === undefined ? null : webOrigin(websiteUrl);
  if (websiteUrl !== undefined && origin === null) {
    wrong.push(["advancedConfig.websiteUrl", "an http or https URL without credentials"]);
  }
  if (webhookPath !== undefined && !isPathAt(origin ?? "https://example.com", webhookPath)) {
    const says = "a path that begins with one / and stays at websiteUrl's origin";
    wrong.push(["advancedConfig.webhookPath", says]);
  }
  return wrong;
}

interface Destination {
  websiteUrl: string;
  webhookPath: string;
}

function webOrigin(text: string): string | null {
  if (/[\s\\]/.test(text) || !URL.canParse(text)) return null;
  const { protocol, origin, username, password } = new URL(text);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb && username === "" && password === "" ? origin : null;
}

function isPathAt(origin: string, path: string): boolean {
  if (!/^\/(?![/\\])/.test(path) || !URL.canParse(path, origin)) return false;
  const url = new URL(path, origin);
  return url.origin === origin && url.href.length <= MAX_URL;
}

/** Where a link's own events go. */
export function toDestination({ websiteUrl, webhookPath }: Destination): string {
  return new URL(webhookPath, new URL(websiteUrl).origin).href;
}

/**
 * The request with its defaults.
 * @param defaultRedirectUrl the operator's, if there is one
 */
export function toTerms(
  request: LinkRequest,
  now: Date,
  defaultRedirectUrl: string | null,
): { terms: LinkTerms; expiresAt: Date } {
  // The check sets omitted fields to undefined, which would replace a default.
  const { expiredAt, advancedConfig, recurringCharge, acceptedPaymentOptions, ...asked } =
    JSON.parse(JSON.stringify(request)) as LinkRequest;
  const terms: LinkTerms = {
    name: "page",
    customUrlPath: "page",
    checkoutType: "generic",
    isOpenLink: true,
    customerPays: true,
    dataCollections: [],
    customFields: [],
    // An empty list means the same as no list.
    acceptedPaymentOptions: acceptedPaymentOptions?.length ? acceptedPaymentOptions : ["card"],
    notifyPayee: false,
    ...(defaultRedirectUrl !== null && { redirectTo: defaultRedirectUrl }),
    ...asked,
    ...(recurringCharge && { recurringCharge: inUtc(recurringCharge) }),
    ...(advancedConfig && { advancedConfig: withoutSecret(advancedConfig) }),
  };
  return { terms, expiresAt: expiredAt === undefined ? oneYearAfter(now) : new Date(expiredAt) };
}

function inUtc<C extends { startDate: string }>(charge: C): C {
  return { ...charge, startDate: new Date(charge.startDate).toISOString() };
}

function withoutSecret({ websiteUrl, webhookPath }: Destination): Destination {
  return { websiteUrl, webhookPath };
}

/**
 * The customer's charge, its fee, and the rest, in minor units. If the customer pays the fee, the
 * rest is the amount; otherwise the charge is the amount.
 * @throws VALIDATION if nothing would be left, or the total were more than is ever charged
 */
export function computePrices(
  terms: Pick<LinkTerms, "amount" | "customerPays" | "checkoutType" | "recurringCharge">,
  fee: Fee,
): Pick<PaymentLink, "totalMinor" | "feesMinor" | "amountMinor"> {
  if (terms.recurringCharge) checkLeast(terms.recurringCharge, terms, fee);
  const asked = isAmountCharged(terms) ? (toMinor(terms.amount ?? 0) as number) : 0;
  const mostCredited = MAX_AMOUNT_MINOR - computeFee(fee, MAX_AMOUNT_MINOR);
  if (terms.customerPays && asked > Math.max(0, mostCredited)) {
    failField("amount", `must be at most ${toDecimal(mostCredited)}, as its fee comes on top`);
  }
  const { customerPays } = terms;
  const { chargeMinor, feesMinor, amountMinor } = chargeAmounts({ customerPays, fee }, asked);
  if (asked > 0 && amountMinor === 0) {
    failField("amount", `must be more than its fee of ${toDecimal(computeFee(fee, asked))}`);
  }
  return { totalMinor: chargeMinor, feesMinor, amountMinor };
}

/** The least price of a period, with one seat, has to be chargeable. */
function checkLeast(
  { consumptionDetails, seatDetails }: RecurringCharge,
  { customerPays }: Pick<LinkTerms, "customerPays">,
  fee: Fee,
): void {
  const { baseFee = 0 } = consumptionDetails ?? seatDetails ?? {};
  const least = (toMinor(baseFee) as number) + Math.ceil((seatDetails?.costPerSeat ?? 0) * 100);
  if (isChargeable({ customerPays, fee }, least)) return;
  const most = toDecimal(MAX_AMOUNT_MINOR);
  failField("recurringCharge", `must cost at most ${most} in a period, its fee included`);
}
