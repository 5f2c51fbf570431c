// XML as this format writes it: elements in order, each with elements or with a text, one to a line,
// in UTF-8. The texts of a file come from a set of characters without any that XML escapes, so this
// is less than a library's interface would need; the file is read back by a strict parser.

const UNSAFE = /[^ -~]|[<>&"]/;

export interface Element {
  name: string;
  content: string | Element[];
  attributes?: Record<string, string>;
}

/**
 * An element with a text, or with the given elements. Absent ones are left out, and so are elements
 * that would be empty.
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
