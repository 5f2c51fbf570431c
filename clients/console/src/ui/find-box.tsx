// The one field for everything that a person knows of what they look for.

import { useId, useRef } from "preact/hooks";
import { go, useLocation } from "../router.ts";

export function FindBox() {
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  const { path, query } = useLocation();
  // An operator stays in the business whose pages it reads.
  const businessId = path[0] === "businesses" ? path[1] : query.businessId;
  return (
    <search>
      <form
        class="find-box"
        onSubmit={(event) => {
          event.preventDefault();
          const q = input.current?.value.trim();
          if (q) go(["find"], { q, businessId });
        }}
      >
        <label for={field}>Find</label>
        <input
          ref={input}
          id={field}
          type="search"
          autoComplete="off"
          spellcheck={false}
          placeholder="Name, email, id"
          title="A name, an email, last four digits, an amount with its fee, a reference or an id"
        />
        <button type="submit" class="hidden-submit" tabIndex={-1}>
          Find
        </button>
      </form>
    </search>
  );
}
