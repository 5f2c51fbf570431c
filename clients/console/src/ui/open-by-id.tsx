// A field for an id, which leads to the page of what has it.

import { useId, useRef } from "preact/hooks";
import { go } from "../router.ts";

interface OpenByIdProps {
  label: string;
  /** Where the page of an id is. */
  pathOf(id: string): string[];
}

export function OpenById({ label, pathOf }: OpenByIdProps) {
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <form
      class="open-by-id"
      onSubmit={(event) => {
        event.preventDefault();
        const given = input.current?.value.trim();
        if (given) go(pathOf(given));
      }}
    >
      <label for={field}>{label}</label>
      <input ref={input} id={field} autoComplete="off" spellcheck={false} />
      <button type="submit">Open</button>
    </form>
  );
}
