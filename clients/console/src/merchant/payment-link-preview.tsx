// The preview of a new payment link: what its page says to customers, while the form is filled in.

import { useState } from "preact/hooks";
import { accentColours } from "../../../../shared/colours.ts";
import { money, number } from "../format.ts";
import { useValues } from "../ui/form.tsx";
import { linkRequest } from "./payment-link-request.ts";
import { priceOf } from "./payment-links.tsx";

type Item = ReturnType<typeof linkRequest>["cartItems"][number];

/** @param business the name of the business */
export function Preview({ business }: { business: string }) {
  const values = useValues();
  const request = linkRequest(values);
  const { currency, name, cartItems, brandingConfig: look = {}, customerPays } = request;
  const isRecurring = "recurringCharge" in request;
  const { primaryColor = null, backgroundColor = null } = look;
  const { accent, onAccent } = accentColours({ primaryColor, backgroundColor });
  const questions = [
    ...["Email", "First name", "Last name", "Phone number"],
    ...(request.dataCollections ?? []),
    ...(request.customFields ?? []),
  ];
  return (
    <section
      class="preview"
      aria-label="Preview"
      style={{ background: isColour(backgroundColor) ? backgroundColor : "" }}
    >
      <div class="panel">
        <p class="quiet">Preview. The page has the customer's language.</p>
        <p>
          <Picture url={look.logo} /> {business}
        </p>
        <h2>{name ?? `${isRecurring ? "Subscription" : "Payment"} to ${business}`}</h2>
        <p class="sum">{isPriced(request) ? priceOf(request) : "–"}</p>
        {customerPays && <p class="quiet">and the card fee on top</p>}
        <ul>
          {cartItems.map((item, i) => (
            <ItemLine key={i} item={item} currency={currency} />
          ))}
        </ul>
        <p class="quiet">{questions.join(", ")}, card</p>
        <p class="pay" style={{ background: accent, color: onAccent }}>
          {isRecurring ? "Subscribe" : "Pay"}
        </p>
      </div>
    </section>
  );
}

function isColour(text: string | null): text is string {
  return /^#[0-9a-f]{6}$/i.test(text ?? "");
}

/** Whether every number of the price is filled in. */
function isPriced(request: ReturnType<typeof linkRequest>): boolean {
  const charge = "recurringCharge" in request ? request.recurringCharge : undefined;
  const details = [charge?.interval, charge && "seatDetails" in charge && charge.seatDetails];
  const usage = charge && "consumptionDetails" in charge ? charge.consumptionDetails : undefined;
  const numbers = [...details, usage].flatMap((each) => Object.values(each || {}));
  return ![request.amount, ...numbers].some((each) => Number.isNaN(each));
}

function ItemLine({ item, currency }: { item: Item; currency: string }) {
  const { name, description, imageUrl, qty = 1, price } = item;
  return (
    <li>
      <Picture url={imageUrl} /> {name}
      {price !== undefined &&
        ` · ${qty === 1 ? "" : `${number(qty)} × `}${money(String(price), currency)}`}
      <span class="quiet"> {description}</span>
    </li>
  );
}

/** An image of the merchant; the page leaves out one that does not load. */
function Picture({ url }: { url: string | undefined }) {
  const [failed, setFailed] = useState<string | null>(null);
  if (!url?.startsWith("https://")) return null;
  if (failed === url) return <span class="wrong">This image does not load.</span>;
  return <img src={url} alt="" onError={() => setFailed(url)} />;
}
