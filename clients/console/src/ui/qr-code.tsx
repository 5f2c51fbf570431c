// QR codes, which phones read from a screen or from paper.

import { generate } from "lean-qr";
import { toSvgPath, toSvgSource } from "lean-qr/extras/svg";
import { saveFile } from "../save-file.ts";

/** The light edge without which phones do not find a code, in modules (ISO 18004). */
const EDGE = 4;
/** The size of a module in the file, in pixels. */
const SCALE = 10;

/** @param name names the code for screen readers, and its file */
export function QrCode({ text, name }: { text: string; name: string }) {
  const code = generate(text);
  const size = code.size + 2 * EDGE;
  function download() {
    const options = { on: "black", off: "white", pad: EDGE, scale: SCALE, xmlDeclaration: true };
    const file = `${name.replaceAll(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}.svg`;
    saveFile(file, "image/svg+xml", [toSvgSource(code, options)]);
  }
  return (
    <figure class="qr-code">
      <svg
        viewBox={`${-EDGE} ${-EDGE} ${size} ${size}`}
        shape-rendering="crispEdges"
        role="img"
        aria-label={`QR code of ${name}`}
      >
        <path d={toSvgPath(code)} />
      </svg>
      <button type="button" onClick={download}>
        Download QR code
      </button>
    </figure>
  );
}
