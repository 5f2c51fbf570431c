// The form of the tables of texts: each text in all languages beside each other, with the names of
// its values in braces.

export const LANGUAGES = ["en", "de", "fr", "es"] as const;
/** The name of each language in itself. */
export const LANGUAGE_NAMES = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
} as const;
export type Language = (typeof LANGUAGES)[number];

export type Texts = Record<string, Record<Language, string>>;

/** The names of a text's values: those of "Pay {amount}" are "amount". */
type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

/** The values of a text, by name; no argument for a text without any. */
export type Values<T extends string> = [Names<T>] extends [never]
  ? []
  : [values: Record<Names<T>, string>];

/** Puts values into a text. */
export function fillIn(text: string, values: Record<string, string> = {}): string {
  return text.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => values[name] as string);
}
