// The failures that schemathesis reports and that are right, each with its reason. All others fail
// `npm run fuzz`.

/** A failure, with the exchange that showed it. */
export interface Failure {
  operation: string;
  check: string;
  message: string;
  url: string;
  status: number;
  /** The answer's body, as text. */
  answer: string;
}

export interface Accepted {
  because: string;
  matches(failure: Failure): boolean;
}

const refused = (failure: Failure) => failure.check === "positive_data_acceptance";

/** A refused request that fits its schemas, by the message of the refusal. */
function rule(because: string, message: RegExp): Accepted {
  return { because, matches: (failure) => refused(failure) && message.test(failure.answer) };
}

export const ACCEPTED: Accepted[] = [
  {
    because: "what is stored decides (funds, a status, an earlier request), which no schema has",
    matches: (failure) => refused(failure) && !failure.answer.includes('"validation_failed"'),
  },
  {
    because: "an empty query parameter is as good as none, on every route",
    matches: ({ check, url, status }) =>
      check === "negative_data_rejection" && status < 400 && /[?&][^=&]+=(&|$)/.test(url),
  },
  rule(
    "control characters, lone surrogates, characters that turn the direction and texts without anything that is seen are refused: the classes of Unicode are in no regular expression that all clients' languages read",
    /but (its name )?has (a control|half of|a character that|only characters)|but is empty|an email address|a plain name/,
  ),
  rule(
    "decimals are limited: multipleOf 0.01 fails for 19.99 where numbers are binary, so the document has it in words",
    /decimals/,
  ),
  rule("a cursor is the nextCursor of the same list", /cursor must be/),
  {
    because:
      "schemathesis sends U+FFFD for bytes that are no text, and the field's pattern excludes it",
    matches: (failure) =>
      refused(failure) &&
      failure.url.includes("%EF%BF%BD") &&
      failure.answer.includes("visible ASCII"),
  },
  rule(
    "the clock decides: a moment has to lie in the future, or in the past, or after another one",
    /in the future|in the past|not in the past|years later|before expiredAt|must be after/,
  ),
  rule(
    "check digits and registries decide: an ABA number, an IBAN, a BIC, a country, a card number, a URL's public host, a range of addresses",
    /checksum|IBAN|BIC|a range such as|ISO 3166|a card number|card number,|public host|https? URL|whsec_|vault's token|one of Visa/,
  ),
  rule(
    "two fields decide together",
    /where both are given|where minimumUnits is|must be the (link|wallet|token)'s|business's own wallet|wallet of the business itself|where amount or|given with|given, or count|left out (unless|with|of)|given where|starts with one|begins? with one|another name|a key __proto__|that contains|must be (at most \d+ days )?before to/,
  ),
  rule("an amount and its fee are bounded together", /its fee comes on top/),
  rule("a card's token is one that its vault gave", /token of the card vault/),
  rule(
    "the type of the link decides whether its setup needs a customer",
    /customer must be an object/,
  ),
];
