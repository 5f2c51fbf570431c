// Writes XML: elements in order, each with a text or with elements, one to a line, in UTF-8. No
// library is used, because the texts of a file (texts.ts) have no character that XML escapes, and
// the kept libraries that write XML bring several packages each.

const UNSAFE = /[^ -~]|[<>&"]/;

export interface Element {
  name: string;
  content: string | Element[];
  attributes?: Record<string, string>;
}

/**
 * An element with a text, or with elements. Absent ones are left out, and so are those without any
 * content, because ISO 20022 allows no empty elements.
 */
export function element(name: string, ...content: (Element | string | undefined)[]): Element {
  const [first] = content;
  if (typeof first === "string" && first !== "") return { name, content: first };
  const elements = content.filter((each) => typeof each === "object");
  return { name, content: elements.filter((each) => each.content.length > 0) };
}

/** The whole document. */
export function writeDocument(root: Element): Buffer {
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${write(root, "")}`, "utf8");
}

function write({ name, content, attributes = {} }: Element, indent: string): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${safe(value)}"`);
  const start = `${indent}<${name}${pairs.join("")}>`;
  if (typeof content === "string") return `${start}${safe(content)}</${name}>\n`;
  const inside = content.map((each) => write(each, `${indent}  `)).join("");
  return `${start}\n${inside}${indent}</${name}>\n`;
}

function safe(text: string): string {
  if (UNSAFE.test(text)) throw new Error("A text of the file cannot be written in XML");
  return text;
}
