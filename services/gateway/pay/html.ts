// Markup, and the only place where texts become part of it: every value in a template of `html` is
// escaped for text and for quoted attributes, unless it is markup made here.

export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Markup[] | null;

/** A template of markup; null becomes nothing. Attributes have to be quoted. */
export function html({ raw }: TemplateStringsArray, ...parts: Part[]): Markup {
  return { markup: String.raw({ raw }, ...parts.map(safe)) };
}

/** Markup without escaping: only for texts of our own. */
export function trusted(markup: string): Markup {
  return { markup };
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function safe(part: Part): string {
  if (part === null) return "";
  if (typeof part !== "object") return escaped(String(part));
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("");
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
