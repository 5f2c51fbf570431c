// The encoding of an XML file, which comes in pieces: that of its byte order mark, else the one
// that it declares, else UTF-8 (XML 1.0, 4.3.3 and appendix F).

import { Unreadable } from "../format.ts";

const BYTE_ORDER_MARKS: [hex: string, encoding: string][] = [
  ["efbbbf", "utf-8"],
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
];
const DECLARED = /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([\w.-]{1,40})["']/;
/** Of declared encodings. One that is not here could be read as another text, so it is refused. */
const READ = /^(utf-?8|us-ascii|iso-8859-15?|windows-1252)$/i;
/** A declaration is shorter. */
const HEAD_BYTES = 256;

/**
 * Turns the pieces of a file into text.
 * @returns a function of the next piece; without one, at the end of the file, no character may be
 *   incomplete. It throws Unreadable for an encoding that is not read, and for bytes that it lacks
 */
export function createDecoder(): (piece?: Buffer) => string {
  let head = Buffer.alloc(0);
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  return (piece) => {
    let bytes = piece;
    if (!decoder) {
      head = Buffer.concat([head, piece ?? Buffer.alloc(0)]);
      if (piece && head.length < HEAD_BYTES) return "";
      decoder = new TextDecoder(encodingOf(head), { fatal: true });
      bytes = head;
    }
    try {
      return decoder.decode(bytes, { stream: piece !== undefined });
    } catch {
      throw new Unreadable(`The file is not in ${decoder.encoding.toUpperCase()}`);
    }
  };
}

function encodingOf(head: Buffer): string {
  const hex = head.toString("hex", 0, 3);
  const marked = BYTE_ORDER_MARKS.find(([mark]) => hex.startsWith(mark));
  if (marked) return marked[1];
  const [, declared = "utf-8"] = DECLARED.exec(head.toString("latin1", 0, HEAD_BYTES)) ?? [];
  if (READ.test(declared)) return declared;
  throw new Unreadable(`The file is declared to be in ${declared}, which is not read`);
}
