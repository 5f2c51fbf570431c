// A file in pieces, so that work on a large one needs memory for a piece alone.

const PIECE_BYTES = 64 * 2 ** 10;

/** The pieces in their order, in the memory of the file itself. */
export function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    yield bytes.subarray(from, from + PIECE_BYTES);
  }
}
