// What changes something: a button that opens a dialog. The dialog says what will happen, takes
// what it needs, asks once more, and shows what is shown only once.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { PayrailError } from "../api.ts";
import { type Field, Form, type Values } from "./form.tsx";
import { useIdempotencyKeys } from "./idempotency-keys.ts";

interface ActionProps<T> {
  /** The button's text, and the dialog's heading. */
  label: string;
  /** The text of the last button, which does it; the label if left out. */
  submit?: string;
  /** What it does, and what follows from it. */
  about?: ComponentChildren;
  fields?: Field[];
  /** The second question: what exactly will happen with these values. Without it none is asked. */
  confirm?(values: Values): string;
  isDanger?: boolean;
  isPrimary?: boolean;
  /**
   * Does it. An error that it throws is shown, and the person may try again.
   * @param idempotencyKey the same for all tries of one dialog with these values
   */
  run(values: Values, idempotencyKey: string): Promise<T>;
  /** What the dialog shows in the end, such as a secret. */
  show?(result: T): ComponentChildren;
  onDone(): void;
}

/** The operator's reason, which the audit log keeps. */
export const NOTE: Field = {
  name: "note",
  label: "Note",
  kind: "area",
  hint: "Why you do this, for the audit log. No personal data.",
};

export function Action<T>(props: ActionProps<T>) {
  const { label, isDanger, isPrimary } = props;
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // The row of a button may go with what it has done. Without this the focus would leave the page.
  const keepFocus = () => {
    if (document.activeElement !== button.current) return;
    document.querySelector("h1")?.focus({ preventScroll: true });
  };
  useLayoutEffect(() => keepFocus, []);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={isDanger ? "danger" : isPrimary ? "primary" : ""}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </button>
      {isOpen && <ActionDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function ActionDialog<T>(props: ActionProps<T> & { onClose(): void }) {
  const { label, submit = label, about, fields = [], confirm, isDanger } = props;
  const { run, show, onDone, onClose } = props;
  const [values, setValues] = useState<Values | null>(null);
  const [shown, setShown] = useState<ComponentChildren>(null);
  /** Wrong fields that the API has found after the second question. */
  const [refused, setRefused] = useState<PayrailError | null>(null);
  const keyFor = useIdempotencyKeys();
  const dialog = useRef<HTMLDialogElement>(null);
  const isBusy = useRef(false);
  const isDone = useRef(false);
  const step = shown ? "result" : values ? "question" : "form";

  // Modal: the browser keeps the focus in it, and gives it back when it closes.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();

  // What had the focus in the step before is gone.
  const before = useRef(step);
  useEffect(() => {
    if (step !== before.current) dialog.current?.focus();
    before.current = step;
  }, [step]);

  async function carryOut(given: Values) {
    isBusy.current = true;
    try {
      const result = await run(given, keyFor(given));
      isDone.current = true;
      if (show) setShown(show(result));
      else close();
    } finally {
      isBusy.current = false;
    }
  }

  /** A wrong field leads back to the form, which shows the error beside it. */
  async function carryOutAsked(given: Values) {
    try {
      await carryOut(given);
    } catch (error) {
      if (!(error instanceof PayrailError) || error.errors.length === 0) throw error;
      setRefused(error);
      setValues(null);
    }
  }

  /** Who closed it meanwhile would not see the outcome, or a secret that is shown once. */
  function stayWhileBusy(event: Event) {
    const isEscape = !(event instanceof KeyboardEvent) || event.key === "Escape";
    if (isBusy.current && isEscape) event.preventDefault();
  }

  function leave() {
    onClose();
    if (isDone.current) onDone();
  }

  return (
    <dialog
      ref={dialog}
      class="dialog"
      tabIndex={-1}
      aria-label={label}
      onKeyDown={stayWhileBusy}
      onCancel={stayWhileBusy}
      onClose={leave}
    >
      <h2>{label}</h2>
      {shown ? (
        <>
          {shown}
          <div class="buttons">
            <button type="button" class="primary" onClick={close}>
              Done
            </button>
          </div>
        </>
      ) : (
        <>
          {/* It stays while the second question is asked, so that Back finds its values. */}
          <div hidden={values !== null}>
            <Form
              fields={fields}
              submit={confirm ? "Continue" : submit}
              onSubmit={confirm ? setValues : carryOut}
              refused={refused}
              cancel={{ label: "Close", onClick: close }}
            >
              {about && <div class="about">{about}</div>}
            </Form>
          </div>
          {values && confirm && (
            <Form
              fields={[]}
              submit={submit}
              isDanger={isDanger ?? false}
              onSubmit={() => carryOutAsked(values)}
              cancel={{ label: "Back", onClick: () => setValues(null) }}
            >
              <p class="question">{confirm(values)}</p>
            </Form>
          )}
        </>
      )}
    </dialog>
  );
}
