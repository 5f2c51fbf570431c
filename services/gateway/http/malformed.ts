// Bytes that are not HTTP never become a request, so the answer is written to the socket itself.

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

const REASONS: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: "The headers are too large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "The request took too long" },
};
const OTHERWISE = { status: 400, message: "The request is not valid HTTP" };

/** Answers in the API's error form and closes the connection. */
export function refuseMalformed(
  { code = "" }: { code?: string },
  socket: Socket,
  headers: Record<string, string>,
): void {
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, message } = REASONS[code] ?? OTHERWISE;
  const body = JSON.stringify({ success: false, message, fatal: true });
  const all = {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}
