// The field on every page for what a person looks for.

import { useId, useRef } from "preact/hooks";
import { go } from "../router.ts";

export function FindBox() {
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <search>
      <form
        class="find-box"
        onSubmit={(event) => {
          event.preventDefault();
          const q = input.current?.value.trim();
          if (q) go(["find"], { q });
        }}
      >
        <label for={field}>Find</label>
        <input
          ref={input}
          id={field}
          type="search"
          autoComplete="off"
          spellcheck={false}
          placeholder="Id, email, reference"
        />
        <button type="submit" class="hidden-submit" tabIndex={-1}>
          Find
        </button>
      </form>
    </search>
  );
}
