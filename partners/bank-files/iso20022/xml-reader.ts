// XML files of a bank as trees of elements, read by saxes: a strict parser that knows namespaces
// and never opens or expands an entity. xmldom is not used, because it takes bare ampersands and
// control characters; fast-xml-parser is not, because entities got past its limits in several
// releases of 2026 (CVE-2026-26278, CVE-2026-33036). A file with a document type is refused. The
// bytes come in pieces, and a reader takes elements out of the tree as they end, so a large file
// needs memory only for the elements that the reader keeps.

import { SaxesParser } from "saxes";
import { Unreadable } from "../format.ts";
import { createDecoder } from "./xml-encoding.ts";

/** Of elements that stay in trees. */
const MAX_KEPT = 500_000;
/** The messages of this format are at most 15 deep, and an envelope is around some. */
const MAX_DEPTH = 60;
/** Its content is any XML by definition, in namespaces of banks. */
const ANY_CONTENT = "SplmtryData";

export interface XmlElement {
  name: string;
  /** Without the space around it; empty if the element has elements. */
  text: string;
  attributes: ReadonlyMap<string, string>;
  elements: XmlElement[];
}

/** An element of a file, and the namespace of all elements in it. */
export interface Tree {
  namespace: string;
  root: XmlElement;
}

export interface Trees {
  trees: Tree[];
  /** The first element of the file, without its elements. */
  outermost: Tree;
}

/**
 * Called at the end of each element in a tree.
 * @param parents the elements around it, the tree's root first
 * @returns whether the element is taken: its parent does not keep it
 */
type Take = (element: XmlElement, parents: XmlElement[]) => boolean;

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** Its functions throw Unreadable for malformed XML, or for a tree of several namespaces. */
export interface TreeReader {
  write(piece: Buffer): void;
  end(): Trees;
}

/**
 * Reads the elements with one of the names, wherever they are in the file, as trees. What is around
 * them, such as an envelope, is only held to be well-formed.
 */
export function createTreeReader(roots: string[], take: Take = () => false): TreeReader {
  const decode = createDecoder();
  const parser = new SaxesParser({ xmlns: true });
  const trees: Tree[] = [];
  const open: XmlElement[] = [];
  /** How many elements were kept before each open one. */
  const keptBefore: number[] = [];
  let outermost: Tree | undefined;
  let depth = 0;
  let kept = 0;
  let anyContentAt = Number.POSITIVE_INFINITY;
  const refuse = (reason: string): never => {
    throw new Unreadable(`${reason} (line ${parser.line})`);
  };
  // The parser's own words can repeat a part of the file, such as an account number.
  parser.on("error", () => refuse("The file is not well-formed XML"));
  parser.on("doctype", () => refuse("The file has a document type"));
  parser.on("opentag", ({ local, uri, attributes }) => {
    if (++depth > MAX_DEPTH) refuse("The file is too large or too deep");
    const pairs = Object.values(attributes).map(({ name, value }) => [name, value] as const);
    const element: XmlElement = {
      name: local,
      text: "",
      attributes: pairs.length > 0 ? new Map(pairs) : NO_ATTRIBUTES,
      elements: [],
    };
    outermost ??= { namespace: uri, root: element };
    if (open.length === 0) {
      if (!roots.includes(local)) return;
      trees.push({ namespace: uri, root: element });
    }
    const isForeign = uri !== trees.at(-1)?.namespace;
    if (isForeign && depth <= anyContentAt) refuse("An element is of another namespace");
    if (local === ANY_CONTENT) anyContentAt = Math.min(anyContentAt, depth);
    keptBefore.push(kept);
    if (++kept > MAX_KEPT) refuse("The file is too large");
    open.push(element);
  });
  const addText = (chunk: string) => {
    const element = open.at(-1);
    if (element) element.text += chunk;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    if (depth === anyContentAt) anyContentAt = Number.POSITIVE_INFINITY;
    depth -= 1;
    const element = open.pop();
    if (!element) return;
    element.text = element.text.trim();
    if (element.text && element.elements.length > 0) refuse("A text stands between elements");
    const before = keptBefore.pop() ?? 0;
    if (take(element, open)) kept = before;
    else open.at(-1)?.elements.push(element);
  });
  return {
    write(piece) {
      parser.write(decode(piece));
    },
    end() {
      parser.write(decode()).close();
      if (!outermost) throw new Unreadable("The file has no element");
      return { trees, outermost };
    },
  };
}

/** All elements of the name. */
export function children(parent: XmlElement, name: string): XmlElement[] {
  return parent.elements.filter((element) => element.name === name);
}

/**
 * The element of the name, if there is one.
 * @throws Unreadable if there are several
 */
export function optional(parent: XmlElement, name: string): XmlElement | undefined {
  const [first, second] = children(parent, name);
  if (second) throw new Unreadable(`${parent.name} has more than one ${name}`);
  return first;
}

/** @throws Unreadable unless there is exactly one element of the name */
export function only(parent: XmlElement, name: string): XmlElement {
  const element = optional(parent, name);
  if (!element) throw new Unreadable(`${parent.name} has no ${name}`);
  return element;
}

/**
 * The text at a path of elements; undefined if a step of the path is absent or the text is empty.
 * @throws Unreadable if a step of the path is there several times
 */
export function textAt(parent: XmlElement, ...path: string[]): string | undefined {
  let element: XmlElement | undefined = parent;
  for (const name of path) element = element && optional(element, name);
  return element?.text || undefined;
}

/** @throws Unreadable unless there is exactly one text at the path */
export function requiredText(parent: XmlElement, ...path: string[]): string {
  const text = textAt(parent, ...path);
  if (text === undefined) throw new Unreadable(`${parent.name} has no ${path.join("/")}`);
  return text;
}
