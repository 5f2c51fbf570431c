// Removes a safeguard from the product's code while it is loaded; the files do not change. An
// import of `<file>?without=<name>` loads a separate module graph (including its imports of the
// services, verification, partners/bank-files, shared/resumable, shared/partners and
// shared/rpc/posts.ts) with the named edits, so that code with and without a safeguard runs side by
// side.

import { registerHooks } from "node:module";

export interface Edit {
  /** The end of the file's path. */
  file: string;
  /** The file must contain this text exactly once. */
  find: string;
  replace: string;
}

/**
 * Removes nothing. A failure with this control comes from the way of loading, not from the product.
 */
export const CONTROL = { name: "nothing", edits: [] as Edit[] };

const edits = new Map<string, Edit[]>();
const made = new Set<Edit>();
const PARTS = [
  ...["services/", "tools/verify/", "partners/bank-files/"],
  ...["shared/resumable/", "shared/partners/", "shared/rpc/posts.ts"],
].map((path) => new URL(`../../${path}`, import.meta.url).href);

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

function edited(source: string, edit: Edit): string {
  const { file, find, replace } = edit;
  const found = source.split(find).length - 1;
  if (found !== 1)
    throw new Error(`${file} contains ${found} times, not once, the text to replace: ${find}`);
  made.add(edit);
  return source.replace(find, () => replace);
}

/**
 * Imports modules and their imports of these folders without a safeguard.
 * @returns the exports of all of them
 * @throws if an edit's file is not among them
 */
export async function importWithout<T>(urls: URL[], name: string, changes: Edit[]): Promise<T> {
  edits.set(name, changes);
  const modules = await Promise.all(urls.map(({ href }) => import(`${href}?without=${name}`)));
  const left = changes.find((edit) => !made.has(edit));
  if (left) throw new Error(`${left.file} is not loaded, so ${name} removes nothing`);
  return Object.assign({}, ...modules) as T;
}
