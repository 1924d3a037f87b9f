import { useId } from 'preact/hooks';

interface SelectProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  /** Chosen at first; the first option by default. */
  readonly defaultValue?: string;
}

/** A select element as a form field. */
export const Select = ({ label, name, options, defaultValue }: SelectProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {options.map(([value, text]) => (
          <option key={value} value={value} selected={value === defaultValue}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};

interface TextAreaProps {
  readonly label: string;
  readonly name: string;
  readonly rows: number;
  readonly required?: boolean;
  readonly defaultValue?: string;
  readonly placeholder?: string;
  readonly hint?: string;
}

/** A multi-line form field. */
export const TextArea = ({ label, hint, ...props }: TextAreaProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        {...props}
        id={id}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
};

interface CheckboxProps {
  readonly label: string;
  readonly name: string;
  readonly checked?: boolean;
}

/** A checkbox as a form field: its value is `on` or absent. */
export const Checkbox = ({ label, name, checked = false }: CheckboxProps) => {
  const id = useId();
  return (
    <span class="check">
      <input type="checkbox" id={id} name={name} defaultChecked={checked} />
      <label for={id}>{label}</label>
    </span>
  );
};
