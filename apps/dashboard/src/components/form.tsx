import type { ComponentChildren, InputHTMLAttributes, TargetedSubmitEvent } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Action } from '../loading.js';
import { holdChanges } from '../unsaved-changes.js';
import { ErrorNotice, Notice } from './notice.js';

export type Values = Readonly<Record<string, string>>;

interface FormProps {
  readonly action: Action<[Values]>;
  readonly submit: string;
  /** Keeps the entered values after a success. */
  readonly keepValues?: boolean;
  readonly class?: string;
  /** Called with `true` after each input, and with `false` after a success. */
  readonly onChanged?: (isChanged: boolean) => void;
  readonly children: ComponentChildren;
}

/** Runs `action` with its field values by name, and shows the error of the API. */
export const Form = ({ action, submit, keepValues = false, class: layout = '', onChanged, children }: FormProps) => {
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    if (!(await action.run(values))) return;
    onChanged?.(false);
    if (!keepValues) form.reset();
  };
  return (
    <form class={layout} onSubmit={send} onInput={() => onChanged?.(true)}>
      {children}
      <button type="submit" class="primary" disabled={action.busy}>
        {action.busy ? 'Working…' : submit}
      </button>
      <ErrorNotice error={action.error} />
    </form>
  );
};

interface EditFormProps extends Omit<FormProps, 'submit' | 'keepValues' | 'onChanged'> {
  /** Shown after a success, until the next change. */
  readonly saved?: string;
}

/** A form with the stored values of a resource, which asks before the user leaves it with unsaved changes. */
export const EditForm = ({ saved = 'Saved.', ...props }: EditFormProps) => {
  /** Undefined until the first change. */
  const [isChanged, setChanged] = useState<boolean>();
  useEffect(() => (isChanged ? holdChanges() : undefined), [isChanged]);
  return (
    <>
      <Form {...props} submit="Save" keepValues onChanged={setChanged} />
      {isChanged === false && !props.action.error && <Notice kind="good">{saved}</Notice>}
    </>
  );
};

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'url' | 'number' | 'datetime-local';
  readonly defaultValue?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly autofocus?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly size?: number;
  readonly pattern?: string;
  /** Describes `pattern` in the browser's validation message. */
  readonly title?: string;
  readonly inputMode?: 'numeric';
  readonly autocomplete?: string;
  readonly spellcheck?: boolean;
}

export const Field = ({ label, hint, ...props }: FieldProps) => {
  const id = useId();
  // Preact has one type per input type; the caller chooses the type here.
  const input = { type: 'text', ...props } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input {...input} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
};

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChoice: (value: string) => void;
  readonly hideLabel?: boolean;
}

export const Choice = ({ label, value, options, onChoice, hideLabel = false }: ChoiceProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={hideLabel ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <select id={id} value={value} onChange={event => onChoice(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};

interface SwitchProps {
  readonly label: string;
  readonly about: string;
  readonly on: boolean;
  readonly busy: boolean;
  readonly onSwitch: (on: boolean) => void;
}

/** Takes effect immediately, unlike a checkbox of a form; it changes once the API has confirmed. */
export const Switch = ({ label, about, on, busy, onSwitch }: SwitchProps) => {
  const id = useId();
  return (
    <div class="switch-row">
      <button
        type="button"
        role="switch"
        class="switch"
        aria-checked={on}
        aria-labelledby={id}
        aria-describedby={`${id}-about`}
        disabled={busy}
        onClick={() => onSwitch(!on)}
      />
      <div>
        <strong id={id}>{label}</strong>
        <p id={`${id}-about`} class="hint">
          {about}
        </p>
      </div>
    </div>
  );
};
