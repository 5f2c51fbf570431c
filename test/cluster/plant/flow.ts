// One direction of a proxied connection: passes bytes on in order, as the rule of the moment says.

import type { Socket } from "node:net";
import type { Rule } from "./rules.ts";

export interface Flow {
  /** Applies the rule as it is now. */
  update(): void;
}

/** The end of a stream, which arrives in its turn as bytes do. */
const END = Symbol("end");

interface Waiting {
  item: Buffer | typeof END;
  /** Epoch ms, before which it does not arrive. */
  arrives: number;
}

/** @param first bytes that were read from the input before */
export function startFlow(
  input: Socket,
  output: Socket,
  ruleNow: () => Rule | undefined,
  first: Buffer[] = [],
): Flow {
  const queue: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  function take(item: Waiting["item"]): void {
    const rule = ruleNow();
    queue.push({ item, arrives: Date.now() + (rule?.kind === "delay" ? rule.ms : 0) });
    update();
  }

  function update(): void {
    clearTimeout(timer);
    if (output.destroyed) {
      queue.length = 0;
      input.resume();
      return;
    }
    const isDropping = ruleNow()?.kind === "drop";
    if (!isDropping) passOn();
    // Unread bytes fill the buffers of the sender, who is held back as by a network that loses
    // them.
    const next = queue[0];
    if (isDropping || output.writableNeedDrain) input.pause();
    else input.resume();
    if (!isDropping && next) timer = setTimeout(update, next.arrives - Date.now());
  }

  function passOn(): void {
    for (let next = queue[0]; next && next.arrives <= Date.now(); next = queue[0]) {
      queue.shift();
      if (next.item === END) output.end();
      else output.write(next.item);
    }
  }

  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    take(END);
  }

  for (const chunk of first) take(chunk);
  input.on("data", take);
  input.once("end", end);
  input.once("close", end);
  output.on("drain", update);
  output.once("close", update);
  update();
  return { update };
}
