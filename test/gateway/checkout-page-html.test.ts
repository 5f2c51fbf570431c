// The gateway's answer at a payment link's URL, before a browser reads it: statuses, headers,
// policy, texts of links that cannot be paid, and the merchant's accepted colours and images.

import { chooseLocale } from "../../services/gateway/pay/locale.ts";
import { checkoutPage } from "../../services/gateway/pay/page.ts";
import { FORM_TEXTS } from "../../services/gateway/pay/texts/form-texts.ts";
import { NOTICE_TEXTS } from "../../services/gateway/pay/texts/notice-texts.ts";
import { PAGE_TEXTS } from "../../services/gateway/pay/texts/page-texts.ts";
import { SCRIPT_TEXTS } from "../../services/gateway/pay/texts/script-texts.ts";
import { SUBSCRIBER_TEXTS } from "../../services/gateway/pay/texts/subscriber-texts.ts";
import { LANGUAGES, type Texts } from "../../services/gateway/pay/texts/table.ts";
import type { View } from "../../services/gateway/pay/view.ts";
import { colourProperties, contrast } from "../../shared/colours.ts";
import { fieldOrigin } from "../../shared/partners/vault.ts";
import {
  chargeBody,
  startWorld,
  type TestBusiness,
  type TestLink,
  type World,
} from "../support/world.ts";

let world: World;
let business: TestBusiness;

beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
});
afterAll(() => world?.stop());

const get = ({ url }: TestLink, headers: Record<string, string> = {}) =>
  world.http.get(new URL(url).pathname, { headers });
const title = (text: string) => /<title>(.*)<\/title>/.exec(text)?.[1];

function policyOf(headers: Record<string, unknown>): Map<string, string> {
  const directives = String(headers["content-security-policy"]).split("; ");
  return new Map(
    directives.map((each) => [each.split(" ")[0] as string, each.replace(/^\S+ ?/, "")]),
  );
}

const VIEW: View = {
  name: "Spring sale",
  businessName: "Acme",
  status: "ACTIVE",
  checkoutType: "generic",
  currency: "USD",
  amount: "25.00",
  fees: "1.06",
  total: "26.06",
  items: [{ name: "Tulips", description: "A dozen, red" }],
  fields: ["Email", "First name", "Last name", "Phone number"].map((name) => {
    return { name, required: true };
  }),
  purpose: "pay",
  recurring: null,
  feesOnTop: true,
  dueNow: "26.06",
  firstChargeAt: null,
  branding: { logo: null, primaryColor: null, backgroundColor: null },
  redirectTo: null,
  paymentOptions: ["card"],
  takesTestCards: true,
  vault: null,
};
const FIELD_URL = "https://vault.example.com/field";
const VAULT = { kind: "inputs", path: "../../v1/sandbox/card-tokens" } as const;
const ENGLISH = chooseLocale("en");
const pageOf = (view: Partial<View>, locale = ENGLISH) =>
  checkoutPage({ ...VIEW, ...view }, "token", VAULT, locale);

describe("a link's URL", () => {
  test("answers the page under a policy that allows only the page's own parts, by their hashes", async () => {
    const link = await world.paymentLink(business, {
      brandingConfig: { logo: "https://logo.example.com/logo.png", primaryColor: "#1a2b3c" },
    });
    const { status, headers, text } = await get(link);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
    });
    const policy = policyOf(headers);
    expect(Object.fromEntries(policy)).toEqual({
      "default-src": "'none'",
      "script-src": expect.stringMatching(/^'sha256-[\w+/]{43}='$/),
      "style-src": expect.stringMatching(/^'sha256-[\w+/]{43}=' 'sha256-[\w+/]{43}='$/),
      "img-src": "data: https://logo.example.com",
      "connect-src": "'self'",
      "frame-src": "'none'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
      "require-trusted-types-for": "'script'",
    });
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(title(text)).toBe("Pay Acme");
    expect(text).not.toMatch(/ on\w+=| style=|javascript:/);
  });

  test("shows the items, amount, fees and total in the link's currency", async () => {
    const link = await world.paymentLink(business, {
      currency: "EUR",
      amount: 1234.5,
      name: "Spring sale",
      cartItems: [
        { name: "Tulips", description: "A dozen, red", qty: 2.5, price: 493.6 },
        { name: "Card", description: "Handwritten", price: 0.5 },
      ],
    });
    const { text } = await get(link);
    const sums = ["2.5 × €493.60", "€1,234.00", "€0.50", "€1,234.50", "€37.18", "Pay €1,271.68"];
    for (const part of ["Spring sale", ...sums]) expect(text).toContain(part);
  });

  test("shows no prices of items that do not add up to the amount", async () => {
    const link = await world.paymentLink(business, {
      amount: 100,
      customerPays: false,
      cartItems: [{ name: "Tulips", description: "A dozen, red", qty: 12, price: 8.33 }],
    });
    const { text } = await get(link);
    expect(text).toContain("Quantity: 12");
    for (const part of ["8.33", "99.96", "$0.00"]) expect(text).not.toContain(part);
  });

  test("is in the language that the browser prefers, with its form of amounts", async () => {
    const link = await world.paymentLink(business, { amount: 1234.5, currency: "EUR" });
    const { headers, text } = await get(link, { "accept-language": "ja, de-AT;q=0.8, en;q=0.5" });
    expect(headers["content-language"]).toBe("de-AT");
    expect(text).toContain('<html lang="de-AT">');
    expect(text).toContain("Kartennummer");
    expect(text).toMatch(/data-button="€\s1\.271,68 zahlen"/);
    const none = await world.http.get("/pay/page/none", { headers: { "accept-language": "fr" } });
    expect(title(none.text)).toBe("Ce lien de paiement n’existe pas");
    const american = await get(link, { "accept-language": "es-419" });
    expect(american.headers["content-language"]).toBe("es-419");
    expect(american.text).toMatch(/data-button="Pagar EUR\s1,271\.68"/);
  });

  test("is in the language that the customer chooses, with the browser's region", async () => {
    const link = await world.paymentLink(business);
    const asked = { "accept-language": "fr, de-AT;q=0.8" };
    const path = new URL(link.url).pathname;
    for (const [lang, tag] of Object.entries({ de: "de-AT", es: "es", ja: "fr", "": "fr" })) {
      const { headers, text } = await world.http.get(`${path}?lang=${lang}`, { headers: asked });
      expect(headers["content-language"]).toBe(tag);
      const current = `lang="${tag.slice(0, 2)}" hreflang="${tag.slice(0, 2)}" aria-current="true"`;
      expect(text).toContain(current);
    }
  });

  test("shows how to reach the merchant, and its terms, also once it is disabled", async () => {
    const branding = { ...VIEW.branding, termsUrl: "https://example.com/terms?a=1&b=2" };
    const supportEmail = "a?b&c@example.com";
    for (const status of ["ACTIVE", "DISABLED"] as const) {
      const { markup } = pageOf({ status, branding: { ...branding, supportEmail } }).body;
      expect(markup).toContain('<a href="mailto:a%3Fb%26c@example.com">a?b&amp;c@example.com</a>');
      expect(markup).toContain('href="https://example.com/terms?a=1&amp;b=2" target="_blank"');
    }
    expect(pageOf({}).body.markup).not.toContain("<footer");
  });

  test("asks for a shipping address in its parts where the merchant collects one", () => {
    const name = "shipping_address";
    const fields = [...VIEW.fields, { name, required: false }, { name: "Size", required: false }];
    const { markup } = pageOf({ fields }).body;
    expect(markup).toContain("<legend>Shipping address <span>(optional)</span></legend>");
    expect(markup).toContain('autocomplete="shipping postal-code"');
    expect(markup.match(/data-own="shipping_address"/g)).toHaveLength(6);
    expect(markup.match(/data-own="Size"/g)).toHaveLength(1);
  });

  test("also with a malformed or foreign Accept-Language is an English page", async () => {
    const link = await world.paymentLink(business);
    for (const asked of ["", "*", "ja", ";;q=x,", "en-u-nu-arab", `en-${"x".repeat(2_000)}`]) {
      const { status, headers, text } = await get(link, { "accept-language": asked });
      expect([status, headers["content-language"], title(text)]).toEqual([200, "en", "Pay Acme"]);
    }
  });

  test("is found by its token; the slug is ignored", async () => {
    const link = await world.paymentLink(business);
    const any = await world.http.get(`/pay/${encodeURIComponent("<b>any</b>")}/${link.token}`);
    expect([any.status, title(any.text)]).toEqual([200, "Pay Acme"]);
    const none = await world.http.get(`/pay/page/${link.token.slice(1)}`);
    expect([none.status, title(none.text)]).toEqual([404, "This payment link does not exist"]);
    expect(none.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(policyOf(none.headers).get("script-src")).toBe("'none'");
  });

  test.each(["\u0000", "../../etc", "<script>", "$ne", "💳", "x".repeat(300)])(
    "with an invalid token such as %j is a 404 page",
    async (token) => {
      const { status, text } = await world.http.get(`/pay/page/${encodeURIComponent(token)}`);
      expect([status, title(text)]).toEqual([404, "This payment link does not exist"]);
    },
  );

  test("of a disabled link answers 200 with a message and no form", async () => {
    const link = await world.paymentLink(business);
    const path = `/v1/business/${business.id}/payment-links/${link.id}/disable`;
    await world.http.post(path, undefined, { token: business.token });
    const { status, text } = await get(link);
    expect(status).toBe(200);
    expect(text).toContain("This link is no longer valid");
    expect(text).not.toContain("<form");
  });

  test.each([
    [
      "subscription",
      { customerPays: true },
      [
        "$26.06",
        "every month, from January 1, 2030",
        "The first payment is on January 1, 2030.",
        "Subscribe: $26.06 on January 1, 2030",
      ],
    ],
    [
      "seating",
      { customerPays: true },
      [
        "Base fee",
        "$10.00",
        "Each seat, 1 to begin with",
        "$5.00",
        "First payment",
        "Subscribe: $15.76 on January 1, 2030",
        "Each payment includes the fee of a card payment.",
      ],
    ],
    [
      "consumption",
      {},
      [
        "Each further API call",
        "$0.0125",
        "1,000",
        "on February 1, 2030, at the end of the first period.",
        "Subscribe: from $10.00 on February 1, 2030",
      ],
    ],
  ])("of a recurring link of the type %s states the agreement", async (type, fields, parts) => {
    const link = await world.recurringLink(business, { ...fields, recurringCharge: { type } });
    const { status, text } = await get(link);
    expect([status, title(text)]).toEqual([200, "Subscribe to Acme"]);
    for (const part of ["Nothing is charged now.", ...parts]) {
      expect(text).toContain(part);
    }
    expect(text).toContain("until the subscription is cancelled");
    expect(text.includes("fee of a card payment")).toBe(type === "seating");
  });

  test("names the price of a seat also without a base fee", async () => {
    const seatDetails = { baseFee: 0, costPerSeat: 5, newSeatBillingType: "prorate" };
    const link = await world.recurringLink(business, {
      recurringCharge: { type: "seating", seatDetails },
    });
    const { text } = await get(link);
    expect(text).toContain("<dt>Each seat, 1 to begin with</dt><dd>$5.00</dd>");
    expect(text).not.toContain("First payment");
  });

  test.each(["subscription", "seating", "consumption"])(
    "shows no sum of a view of the previous release, which does not tell it: %s",
    (type) => {
      const recurring = chargeBody({ type }) as View["recurring"];
      const money = type === "subscription" ? {} : { amount: "0.00", fees: "0.00", total: "0.00" };
      const firstChargeAt = "2030-01-01T00:00:00.000Z";
      const { body } = pageOf({ purpose: "subscribe", recurring, firstChargeAt, ...money });
      expect(body.markup).not.toContain("$0.00");
      expect(body.markup).toContain("Save card and subscribe");
    },
  );

  test("shows the amount due now before a card is saved", () => {
    const recurring = chargeBody() as View["recurring"];
    const firstCharge = { amount: "26.06", fees: "1.06", nextAt: "2030-02-01T00:00:00.000Z" };
    const due = { recurring, dueNow: "26.06", firstChargeAt: null, firstCharge };
    const late = pageOf({ purpose: "subscribe", ...due });
    expect(late.body.markup).toContain("$26.06 is charged as soon as your card is saved.");
    expect(late.body.markup).toContain(
      "today, then every month. Next payment on February 1, 2030.",
    );
    expect(late.body.markup).toContain("Subscribe and pay $26.06");
    const open = pageOf({ purpose: "change_method", fields: [], ...due });
    expect(open.body.markup).toContain("$26.06 is not paid yet, and is charged as soon as");
    const none = pageOf({ purpose: "change_method", fields: [], ...due, dueNow: "0.00" });
    expect(none.body.markup).toContain("Nothing is charged now.");
    expect(none.title).toBe("Save a card for Acme");
    for (const { body } of [open, none]) expect(body.markup).not.toContain('name="email"');
  });

  test.each([
    ["subscribe", "USED", "This subscription is already set up"],
    ["subscribe", "EXPIRED", "No card is saved with it any more."],
    ["change_method", "USED", "Your card is already saved"],
    ["change_method", "EXPIRED", "This link has expired"],
    ["change_method", "DISABLED", "This link is no longer valid"],
  ] as const)("a link to %s that is %s shows a message and no form", (purpose, status, message) => {
    const { body } = pageOf({ purpose, status, recurring: chargeBody() as View["recurring"] });
    expect(body.markup).toContain(message);
    expect(body.markup).not.toContain("<form");
    expect(body.markup).not.toContain("charged");
  });
});

describe("the page's parts", () => {
  test("texts are escaped for text and for attributes", () => {
    const evil = `"'><script>&amp;`;
    const fields = [...VIEW.fields, { name: evil, required: false }];
    const { body } = pageOf({ businessName: evil, name: evil, fields });
    expect(body.markup).not.toContain(evil);
    expect(body.markup).toContain('data-own="&quot;&#39;&gt;&lt;script&gt;&amp;amp;"');
  });

  test("without a vault the page says that cards cannot be taken, and has no form", () => {
    const { body } = checkoutPage(VIEW, "token", null, ENGLISH);
    expect(body.markup).toContain("Cards cannot be taken on this page");
    expect(body.markup).not.toContain("<form");
    expect(body.markup).not.toContain("Test mode");
  });

  test("with an acquirer's vault the page has a frame in place of the card's inputs", () => {
    const entry = {
      kind: "frame",
      fieldUrl: FIELD_URL,
      origin: "https://vault.example.com",
      wantsPostcode: false,
    } as const;
    const { body, frameOrigin } = checkoutPage(VIEW, "token", entry, ENGLISH);
    expect(frameOrigin).toBe("https://vault.example.com");
    expect(body.markup).toContain(
      '<iframe id="card-frame" title="Card details" data-src="https://vault.example.com/field"',
    );
    for (const text of ['id="card-number"', "Test mode", "card-tokens"]) {
      expect(body.markup).not.toContain(text);
    }
    expect(body.markup).not.toContain("Postcode");
    const asked = checkoutPage(VIEW, "token", { ...entry, wantsPostcode: true }, ENGLISH);
    expect(asked.body.markup).toContain("Postcode of the card&#39;s bill");
    const ended = checkoutPage({ ...VIEW, status: "EXPIRED" }, "token", entry, ENGLISH);
    expect([ended.frameOrigin, ended.body.markup.includes("<iframe")]).toEqual([null, false]);
  });

  test.each([
    ["https://vault.example.com/field?merchant=1", "https://vault.example.com"],
    ["https://vault.example.com:8443/field", "https://vault.example.com:8443"],
    ["http://vault.example.com/field", null],
    ["http://127.0.0.1:4000/field", null],
    ["https://user:secret@vault.example.com/field", null],
    ["https://vault.example.com/field#part", null],
    ["https://pay.example.com/field", null],
    ["https://a;script-src.example.com/field", null],
    ["https://a'b.example.com/field", null],
    ["javascript:alert(1)", null],
    ["/field", null],
    [`https://vault.example.com/${"x".repeat(2_048)}`, null],
    [undefined, null],
  ])("in production, for the vault %s, the policy allows %s", (fieldUrl, origin) => {
    const production = { production: true, publicUrl: "https://pay.example.com" };
    expect(fieldOrigin(fieldUrl, production)).toBe(origin);
  });

  test.each([
    ["http://127.0.0.1:4000/field", "http://127.0.0.1:4000"],
    ["http://localhost:4000/field", "http://localhost:4000"],
    ["http://[::1]:4000/field", "http://[::1]:4000"],
    ["http://127.0.0.1:3000/field", null],
    ["http://192.168.0.1/field", null],
  ])("outside production, for the vault %s, the policy allows %s", (fieldUrl, origin) => {
    const development = { production: false, publicUrl: "http://127.0.0.1:3000" };
    expect(fieldOrigin(fieldUrl, development)).toBe(origin);
  });

  test("images come from few origins, and no origin adds a directive to the policy", () => {
    const hosts = ["a;script-src.example.com", "b,c.example.com", "user@d.example.com"];
    const items = [...hosts, ...Array.from({ length: 20 }, (_, i) => `h${i}.example.com`)].map(
      (host) => ({ name: "A", description: "B", imageUrl: `https://${host}/a.png` }),
    );
    const { imageOrigins, body } = pageOf({ items });
    expect(imageOrigins).toHaveLength(8);
    expect(imageOrigins.every((each) => /^https:\/\/[\w.-]+$/.test(each))).toBe(true);
    expect(body.markup.match(/<img /g)).toHaveLength(8);
  });

  test("images come only from public hosts, also for a link that was created with another host", () => {
    const inside = ["localhost", "192.168.0.1", "[::1]", "8.8.8.8", "cdn.internal", "router"];
    const items = [...inside, "cdn.example.com:8443"].map((host) => {
      return { name: "A", description: "B", imageUrl: `https://${host}/a.png` };
    });
    const branding = { ...VIEW.branding, logo: "https://localhost/logo.png" };
    const { imageOrigins, body } = pageOf({ items, branding });
    expect(imageOrigins).toEqual(["https://cdn.example.com:8443"]);
    expect(body.markup.match(/<img /g)).toHaveLength(1);
  });

  test("the policy names only the origins of the page's images", () => {
    const items = [{ name: "A", description: "B", imageUrl: "https://cdn.example.com/a.png" }];
    const branding = { ...VIEW.branding, logo: "https://logo.example.com/logo.png" };
    const shown = ["https://logo.example.com", "https://cdn.example.com"];
    expect(pageOf({ items, branding }).imageOrigins).toEqual(shown);
    // A page without the list of items has no images of them.
    for (const closed of [{ status: "EXPIRED" }, { purpose: "change_method" }] as const) {
      const { imageOrigins, body } = pageOf({ items, branding, ...closed });
      expect(imageOrigins).toEqual(["https://logo.example.com"]);
      expect(body.markup.match(/<img /g)).toHaveLength(1);
    }
  });

  test.each(["#000000", "#ffffff", "#767676", "#808080", "#ff0000", "#00ff00", "#ffd400"])(
    "texts on the merchant's colour %s are readable",
    (colour) => {
      const style = colourProperties({ primaryColor: colour, backgroundColor: colour });
      const [page, onPage, muted, accent, onAccent, edge] = style.match(
        /#[0-9a-f]{6}/g,
      ) as string[];
      expect([page, accent]).toEqual([colour, colour]);
      for (const text of [onPage, muted, onAccent]) {
        expect(contrast(text as string, colour)).toBeGreaterThanOrEqual(4.5);
      }
      expect(contrast(edge as string, "#ffffff")).toBeGreaterThanOrEqual(3);
    },
  );

  test("each text has the same values in all languages", () => {
    const tables: Texts[] = [PAGE_TEXTS, FORM_TEXTS, NOTICE_TEXTS, SUBSCRIBER_TEXTS, SCRIPT_TEXTS];
    for (const [key, text] of tables.flatMap((each) => Object.entries(each))) {
      const values = LANGUAGES.map((each) => (text[each].match(/\{\w+\}/g) ?? []).toSorted());
      expect([key, ...values]).toEqual([key, ...LANGUAGES.map(() => values[0])]);
    }
  });

  test("an invalid colour is left out of the style", () => {
    const evil = "#fff;}*{background:url(//x)}";
    const none = colourProperties({ primaryColor: null, backgroundColor: null });
    expect(colourProperties({ primaryColor: evil, backgroundColor: "red" })).toBe(none);
  });
});

test("while links cannot be read, the page says so, and that no charge was made", async () => {
  const link = await world.paymentLink(business);
  await world.broker.destroyService("payment-links");
  const { status, headers, text } = await get(link);
  expect([status, title(text)]).toEqual([503, "This page is not available right now"]);
  expect(text).toContain("Opening it charges nothing.");
  expect(headers["cache-control"]).toBe("no-store");
});
