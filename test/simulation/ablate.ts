// Takes a safeguard out of the product's code while it is loaded; the files stay as they are. A module
// that is imported as `<file>?without=<name>` is one of a graph of its own (its imports of the services,
// shared/resumable and shared/partners included), in which the named edits are made,
// so that code with and without a safeguard runs side by side.

import { registerHooks } from "node:module";

export interface Edit {
  /** The end of the path of the file. */
  file: string;
  /** Has to be there exactly once. */
  find: string;
  replace: string;
}

/** Takes nothing out: what fails without it fails because it was loaded in this way. */
export const CONTROL = { name: "nothing", edits: [] as Edit[] };

const edits = new Map<string, Edit[]>();
const PARTS = ["services/", "shared/resumable/", "shared/partners/"].map(
  (path) => new URL(`../../${path}`, import.meta.url).href,
);

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const from = context.parentURL ? new URL(context.parentURL).search : "";
    const isPart = from !== "" && PARTS.some((part) => resolved.url.startsWith(part));
    return isPart && !resolved.url.includes("?")
      ? { ...resolved, url: resolved.url + from }
      : resolved;
  },
  load(url, context, next) {
    const loaded = next(url, context);
    const name = new URL(url).searchParams?.get("without");
    const here = (edits.get(name ?? "") ?? []).filter(({ file }) =>
      url.split("?")[0]?.endsWith(file),
    );
    if (here.length === 0) return loaded;
    let source = Buffer.from(loaded.source as Uint8Array).toString();
    for (const edit of here) source = edited(source, edit);
    return { ...loaded, source };
  },
});

function edited(source: string, { file, find, replace }: Edit): string {
  const found = source.split(find).length - 1;
  if (found !== 1) throw new Error(`${file} has ${found} times what is to be taken out: ${find}`);
  return source.replace(find, () => replace);
}

/**
 * Imports a module, and what it imports of these folders, without a safeguard.
 * @param url of the module
 */
export async function importWithout<T>(url: URL, name: string, changes: Edit[]): Promise<T> {
  edits.set(name, changes);
  return import(`${url.href}?without=${name}`) as Promise<T>;
}
