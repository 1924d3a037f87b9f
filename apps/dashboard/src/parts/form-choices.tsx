import { useId } from 'preact/hooks';

interface SelectProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, words: string])[];
}

/** One of few, as a field of a form. */
export const Select = ({ label, name, options }: SelectProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
};

interface TextProps {
  readonly label: string;
  readonly name: string;
  readonly rows: number;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly hint?: string;
}

/** Several lines, as a field of a form. */
export const Text = ({ label, hint, ...props }: TextProps) => {
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

interface CheckProps {
  readonly label: string;
  readonly name: string;
  readonly checked?: boolean;
}

/** Yes or no, as a field of a form: its text is `on` or absent. */
export const Check = ({ label, name, checked = false }: CheckProps) => {
  const id = useId();
  return (
    <span class="check">
      <input type="checkbox" id={id} name={name} defaultChecked={checked} />
      <label for={id}>{label}</label>
    </span>
  );
};
