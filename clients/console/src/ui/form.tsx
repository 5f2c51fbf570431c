// Forms: their fields, and what the API finds wrong in them.

import { type ComponentChildren, createContext, type InputHTMLAttributes } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { PayrailError } from "../api.ts";
import { Problem } from "./basics.tsx";

export interface Field {
  /** The name of the API's field; of a field in another one its path, such as `items[0].price`. */
  name: string;
  label: string;
  /** How to fill it in; it may depend on the values of the form. */
  hint?: string | ((values: Values) => string);
  kind?:
    | "text"
    | "password"
    | "email"
    | "url"
    | "number"
    | "date"
    | "datetime-local"
    | "area"
    | "choice"
    | "several"
    | "flag";
  /** The choices and their names, of a choice of one or of several. */
  options?: [value: string, label: string][];
  initial?: string;
  /** Whether it may be left empty; it may depend on the values of the form. */
  isOptional?: boolean | ((values: Values) => boolean);
  /** Whether it belongs to what the form holds; else it is left out. */
  isShown?(values: Values): boolean;
  autoComplete?: string;
  step?: string;
}

/**
 * What a form holds: the trimmed texts of its fields that are not empty. Of a choice of several
 * they are one text, with spaces between the values.
 */
export type Values = Record<string, string>;

interface FormProps {
  fields: Field[];
  /** The button's text. */
  submit: string;
  isDanger?: boolean;
  /** Told what the form holds; an error that it throws is shown. */
  onSubmit(values: Values): unknown;
  /** An error of what the form held, found after it was submitted. */
  refused?: unknown;
  /** A second button, which leaves the form. */
  cancel?: { label: string; onClick(): void };
  /** What stands before the fields, and further fields. */
  children?: ComponentChildren;
}

interface Filled {
  values: Values;
  wrong: PayrailError["errors"];
}

const FilledForm = createContext<Filled>({ values: {}, wrong: [] });

export function Form({ fields, submit, isDanger, onSubmit, refused, cancel, children }: FormProps) {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [values, setValues] = useState<Values>({});
  const form = useRef<HTMLFormElement>(null);
  const wrong = error instanceof PayrailError ? error.errors : [];

  useEffect(() => setError(refused), [refused]);

  const read = () => valuesOf(form.current as HTMLFormElement);
  // Fields that have appeared or gone change the values too.
  useEffect(() => {
    const held = read();
    if (JSON.stringify(held) !== JSON.stringify(values)) setValues(held);
  });

  async function send(event: Event) {
    event.preventDefault();
    setIsBusy(true);
    setError(null);
    try {
      await onSubmit(read());
    } catch (problem) {
      setError(problem);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <form
      ref={form}
      class="form"
      onInput={() => setValues(read())}
      onSubmit={(event) => void send(event)}
    >
      <FilledForm.Provider value={{ values, wrong }}>
        {children}
        <Fields of={fields} />
      </FilledForm.Provider>
      <Problem error={error} />
      <div class="buttons">
        {cancel && (
          <button type="button" onClick={cancel.onClick} disabled={isBusy}>
            {cancel.label}
          </button>
        )}
        <button type="submit" class={isDanger ? "danger" : "primary"} disabled={isBusy}>
          {isBusy ? "One moment…" : submit}
        </button>
      </div>
    </form>
  );
}

function valuesOf(form: HTMLFormElement): Values {
  const values: Values = {};
  for (const [name, value] of new FormData(form)) {
    // Only fields of files hold anything else.
    const text = (value as string).trim();
    if (text !== "") values[name] = values[name] ? `${values[name]} ${text}` : text;
  }
  return values;
}

/** The values of the surrounding form, after each change. */
export function useValues(): Values {
  return useContext(FilledForm).values;
}

/** Fields of the form around them. */
export function Fields({ of }: { of: Field[] }) {
  const { values, wrong } = useContext(FilledForm);
  return (
    <>
      {of
        .filter(({ isShown }) => !isShown || isShown(values))
        .map((field) => (
          <FieldRow
            // A field keeps what it holds when its place in a list, and so its name, changes.
            key={field.label}
            field={field}
            problem={wrong.find((each) => isAbout(each.field, field.name))?.message}
          />
        ))}
    </>
  );
}

/** Whether the API means a field, or a part of it. */
function isAbout(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);
}

/** Fields that belong together. */
export function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <fieldset class="group">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

function isOptionalIn({ isOptional = false }: Field, values: Values): boolean {
  return typeof isOptional === "function" ? isOptional(values) : isOptional;
}

function FieldRow({ field, problem }: { field: Field; problem: string | undefined }) {
  const { label, kind = "text" } = field;
  const values = useValues();
  const isOptional = isOptionalIn(field, values);
  const hint = typeof field.hint === "function" ? field.hint(values) : field.hint;
  const id = useId();
  const hintId = `${id}-hint`;
  const problemId = `${id}-problem`;
  const describedBy = [hint && hintId, problem && problemId].filter(Boolean).join(" ") || undefined;
  const name = (
    <>
      {label}
      {isOptional && kind !== "flag" && <span class="quiet"> (optional)</span>}
    </>
  );
  const notes = (
    <>
      {hint && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="wrong" id={problemId}>
          {problem}
        </p>
      )}
    </>
  );
  if (kind === "several") {
    return (
      <fieldset class="field several" aria-describedby={describedBy}>
        <legend>{name}</legend>
        <Boxes field={field} />
        {notes}
      </fieldset>
    );
  }
  return (
    <div class={`field ${kind}`}>
      <label for={id}>{name}</label>
      <Control field={field} id={id} describedBy={describedBy} isWrong={!!problem} />
      {notes}
    </div>
  );
}

function Boxes({ field: { name, options = [], initial = "" } }: { field: Field }) {
  return (
    <>
      {options.map(([value, label]) => (
        <label key={value}>
          <input
            type="checkbox"
            name={name}
            value={value}
            defaultChecked={initial.split(" ").includes(value)}
          />
          {label}
        </label>
      ))}
    </>
  );
}

interface ControlProps {
  field: Field;
  id: string;
  describedBy: string | undefined;
  isWrong: boolean;
}

function Control({ field, id, describedBy, isWrong }: ControlProps) {
  const { name, kind = "text", options = [], initial, autoComplete, step } = field;
  const isOptional = isOptionalIn(field, useValues());
  const shared = {
    id,
    name,
    required: !isOptional,
    "aria-describedby": describedBy,
    "aria-invalid": isWrong || undefined,
  };
  if (kind === "area") return <textarea {...shared} rows={3} defaultValue={initial ?? ""} />;
  if (kind === "choice") {
    return (
      <select {...shared} defaultValue={initial ?? ""}>
        {options.map(([value, label]) => (
          <option key={value} value={value} selected={value === initial}>
            {label}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "flag") {
    const checked = initial === "true";
    return (
      <input {...shared} required={false} type="checkbox" value="true" defaultChecked={checked} />
    );
  }
  return (
    <Input
      {...shared}
      type={kind}
      step={step}
      defaultValue={initial ?? ""}
      autoComplete={autoComplete ?? "off"}
    />
  );
}

/** An input of any kind: Preact's types have a form of their own for each. */
export function Input(
  props: Omit<InputHTMLAttributes<HTMLInputElement>, "type"> & { type: string },
) {
  return <input {...(props as InputHTMLAttributes<HTMLInputElement>)} />;
}
