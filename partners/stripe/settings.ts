// The settings of the Stripe module, from the environment. docs/operate/stripe.md lists them.

export interface StripeSettings {
  name: string;
  secretKey: string;
  publishableKey: string;
  /** Whether the keys are Stripe's test keys, which move no real money. */
  isTest: boolean;
  /** The https URL of the field that the checkout page shows in a frame. */
  fieldUrl: string;
  /** Null if Stripe sends no webhooks to payrail. */
  webhookSecret: string | null;
  /** Null for Stripe itself; the address of a stand-in in tests. */
  apiUrl: URL | null;
}

const SECRET_KEY = /^(?:sk|rk)_(test|live)_[A-Za-z0-9]+$/;
const PUBLISHABLE_KEY = /^pk_(test|live)_[A-Za-z0-9]+$/;
const WEBHOOK_SECRET = /^whsec_[A-Za-z0-9+/=]+$/;

/**
 * Reads the settings.
 * @throws Error that names the variable, and never its value, if one is missing or has a wrong form
 */
export function readSettings(environment: NodeJS.ProcessEnv): StripeSettings {
  const read = (name: string, form: RegExp, must: string): string => {
    const value = environment[name] ?? "";
    if (form.test(value)) return value;
    throw new Error(`${name} must be ${must}`);
  };
  const secretKey = read("STRIPE_SECRET_KEY", SECRET_KEY, "a secret or restricted key of Stripe");
  const publishableKey = read(
    "STRIPE_PUBLISHABLE_KEY",
    PUBLISHABLE_KEY,
    "a publishable key of Stripe",
  );
  const isTest = modeOf(secretKey, SECRET_KEY) === "test";
  if (modeOf(publishableKey, PUBLISHABLE_KEY) !== modeOf(secretKey, SECRET_KEY)) {
    throw new Error("STRIPE_PUBLISHABLE_KEY must be of the same mode as STRIPE_SECRET_KEY");
  }
  const { STRIPE_ACQUIRER_NAME: name = "stripe", STRIPE_FIELD_URL: fieldUrl = "" } = environment;
  if (!URL.canParse(fieldUrl)) throw new Error("STRIPE_FIELD_URL must be the URL of the field");
  const hasWebhooks = Boolean(environment.STRIPE_WEBHOOK_SECRET);
  return {
    name,
    secretKey,
    publishableKey,
    isTest,
    fieldUrl,
    webhookSecret: hasWebhooks
      ? read("STRIPE_WEBHOOK_SECRET", WEBHOOK_SECRET, "the signing secret of an endpoint")
      : null,
    apiUrl: readApiUrl(environment.STRIPE_API_URL, isTest),
  };
}

function modeOf(key: string, form: RegExp): string | undefined {
  return form.exec(key)?.[1];
}

function readApiUrl(value: string | undefined, isTest: boolean): URL | null {
  if (!value) return null;
  // A live key is worth money, so it goes to Stripe alone.
  if (!isTest) throw new Error("STRIPE_API_URL must be unset with a live STRIPE_SECRET_KEY");
  if (!URL.canParse(value)) throw new Error("STRIPE_API_URL must be a URL");
  return new URL(value);
}
