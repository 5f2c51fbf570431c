// The name of an account's holder, as people link it.

import { hasLetterOrDigit, latin } from "./latin.ts";

/**
 * A person's first and last name, or the name of a business, in any script. Of a person with one
 * name the other one is a placeholder, such as a hyphen, and is left out. Words such as `None`
 * stay, because some people have this name.
 */
export function holderName({
  name = "",
  firstName = "",
  lastName = "",
}: Record<string, string>): string {
  const isName = (part: string) =>
    hasLetterOrDigit(latin(part)) && !/^\s*n[/.]a\.?\s*$/i.test(part);
  return (name ? [name] : [firstName, lastName]).filter(isName).join(" ");
}
