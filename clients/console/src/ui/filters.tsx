// Filters of what a page shows. They are in the address.

import { useId, useRef, useState } from "preact/hooks";

export interface Filter {
  /** The parameter of the endpoint. */
  name: string;
  label: string;
  kind?: "date";
  /** The values that it may have, and their names. */
  options?: [value: string, label: string][];
  /** The value to begin with, of a filter that always has one. */
  initial?: string;
}

/** The values of filters in an address. */
export function chosenIn(query: Record<string, string>, filters: Filter[]): Record<string, string> {
  const values = filters.map(({ name, initial }) => [name, query[name] || initial]);
  return Object.fromEntries(values.filter(([, value]) => value));
}

interface FiltersProps {
  filters: Filter[];
  chosen: Record<string, string>;
  onChange(values: Record<string, string>): void;
}

/** A narrow screen folds more filters than these. */
const FEW = 2;
/** A wide screen folds the further ones that are not set. */
const SOME = 6;

/**
 * Choices and dates apply immediately, texts by Enter. Filters that always have a value never fold.
 */
export function Filters({ filters, chosen, onChange }: FiltersProps) {
  const form = useRef<HTMLFormElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const folding = filters.filter(({ initial }) => !initial);
  const folds = folding.length > FEW;
  const count = folding.filter(({ name }) => chosen[name]).length;
  const apply = () => {
    const entries = [...new FormData(form.current as HTMLFormElement)];
    onChange(Object.fromEntries(entries.map(([name, value]) => [name, (value as string).trim()])));
  };
  return (
    <form
      ref={form}
      class={folds && !isOpen ? "filters folded" : "filters"}
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      {filters.map((filter, i) => (
        <FilterField
          // Another address fills it in anew.
          key={`${filter.name} ${chosen[filter.name]}`}
          filter={filter}
          isLate={i >= SOME && !chosen[filter.name]}
          value={chosen[filter.name] ?? ""}
          onChange={apply}
        />
      ))}
      {folds && (
        <button
          type="button"
          class="fold"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? "Fewer filters" : `More filters${count > 0 ? ` (${count} set)` : ""}`}
        </button>
      )}
      <button type="submit" class="hidden-submit" tabIndex={-1}>
        Apply
      </button>
    </form>
  );
}

interface FilterFieldProps {
  filter: Filter;
  isLate?: boolean;
  value: string;
  onChange(): void;
}

function FilterField({ filter, isLate, value, onChange }: FilterFieldProps) {
  const id = useId();
  const folding = `filter folding${isLate ? " late" : ""}`;
  return (
    <div class={filter.initial ? "filter" : folding}>
      <label for={id}>{filter.label}</label>
      <Control id={id} filter={filter} value={value} onChange={onChange} />
    </div>
  );
}

function Control({ id, filter, value, onChange }: FilterFieldProps & { id: string }) {
  const { name, kind, options, initial } = filter;
  if (options) {
    return (
      <select id={id} name={name} onChange={onChange}>
        {!initial && <option value="">Any</option>}
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    );
  }
  const shared = { id, name, defaultValue: value, autoComplete: "off" };
  return kind === "date" ? (
    <input {...shared} type="date" onChange={onChange} />
  ) : (
    <input {...shared} type="text" />
  );
}
