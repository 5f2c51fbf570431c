// What a client prefers, by the weights that it gives to media types, encodings and languages
// (RFC 9110, 12.4.2 and 12.5).

import type { IncomingMessage } from "node:http";

/** Whether the client prefers a page to JSON, as browsers do. */
export function prefersHtml({ headers: { accept } }: Pick<IncomingMessage, "headers">): boolean {
  const json = weightOf(accept, "application/json", "application/*", "*/*");
  return weightOf(accept, "text/html", "text/*", "*/*") > json;
}

/**
 * The weight of the first of these names that a header lists, 0 to 1; 0 if it lists none.
 * @param names in lower case, from the most specific to the least, such as text/html, text/*
 */
export function weightOf(header: string | undefined, ...names: string[]): number {
  const weights = new Map(readWeights(header));
  const listed = names.find((name) => weights.has(name));
  return listed === undefined ? 0 : (weights.get(listed) as number);
}

/** The names that a header lists, in lower case, the most wanted first, without refused ones. */
export function inOrderOfWeight(header: string | undefined): string[] {
  return readWeights(header)
    .filter(([, weight]) => weight > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name]) => name);
}

function readWeights(header = ""): [name: string, weight: number][] {
  return header.split(",").map((part) => {
    const [name = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
    const given = parameters.find((each) => each.startsWith("q="));
    return [name, given === undefined ? 1 : Number(given.slice("q=".length)) || 0];
  });
}
