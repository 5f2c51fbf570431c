// XML files of a bank as trees of elements, read by saxes: a strict parser that knows namespaces and
// never opens or expands an entity. xmldom is not used, because it takes bare ampersands and control
// characters; fast-xml-parser is not, because entities got past its limits in several releases of
// 2026 (CVE-2026-26278, CVE-2026-33036). A file with a document type is refused, and so is a file
// larger or deeper than any real one, before it takes memory.

import { SaxesParser } from "saxes";
import { Unreadable } from "../format.ts";

const MAX_BYTES = 32 * 2 ** 20;
const MAX_ELEMENTS = 1_000_000;
/** The messages of this format are at most 15 deep. */
const MAX_DEPTH = 40;
/** Its content is any XML by definition, in namespaces of banks. */
const ANY_CONTENT = "SplmtryData";

export interface XmlElement {
  name: string;
  /** Without the space around it; empty if the element has elements. */
  text: string;
  attributes: Map<string, string>;
  elements: XmlElement[];
}

/**
 * The document and the namespace of all its elements.
 * @throws Unreadable if it is not well-formed XML of one namespace in UTF-8
 */
export function readDocument(bytes: Buffer): { namespace: string; root: XmlElement } {
  const text = decode(bytes);
  const parser = new SaxesParser({ xmlns: true });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let namespace = "";
  let elements = 0;
  const refuse = (reason: string): never => {
    throw new Unreadable(`${reason} (line ${parser.line})`);
  };
  // The parser's own words can repeat a part of the file, such as an account number.
  parser.on("error", () => refuse("The file is not well-formed XML"));
  parser.on("doctype", () => refuse("The file has a document type"));
  parser.on("xmldecl", ({ encoding }) => {
    if (encoding && !/^utf-8$/i.test(encoding)) refuse("The file is not in UTF-8");
  });
  parser.on("opentag", ({ local, uri, attributes }) => {
    const parent = open.at(-1);
    if (!parent) namespace = uri;
    const isAnyContent = open.some(({ name }) => name === ANY_CONTENT);
    if (uri !== namespace && !isAnyContent) refuse("An element is of another namespace");
    if (++elements > MAX_ELEMENTS || open.length >= MAX_DEPTH) refuse("The file is too large");
    const pairs = Object.values(attributes).map(({ name, value }) => [name, value] as const);
    const element = { name: local, text: "", attributes: new Map(pairs), elements: [] };
    if (parent) parent.elements.push(element);
    else root = element;
    open.push(element);
  });
  const addText = (chunk: string) => {
    const element = open.at(-1);
    if (element) element.text += chunk;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const element = open.pop();
    if (!element) return;
    element.text = element.text.trim();
    if (element.text && element.elements.length > 0) refuse("A text stands between elements");
  });
  parser.write(text).close();
  if (!root) throw new Unreadable("The file has no element");
  return { namespace, root };
}

function decode(bytes: Buffer): string {
  if (bytes.length > MAX_BYTES) throw new Unreadable("The file is too large");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Unreadable("The file is not in UTF-8");
  }
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
