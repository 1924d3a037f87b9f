interface ToggleGroupProps<Value extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly value: Value;
  readonly onChoice: (value: Value) => void;
}

/** Buttons of which one is pressed, to select a part or a language. */
export const ToggleGroup = <Value extends string>({ label, options, value, onChoice }: ToggleGroupProps<Value>) => (
  <fieldset class="toggles">
    <legend class="visually-hidden">{label}</legend>
    {options.map(([option, name]) => (
      <button key={option} type="button" aria-pressed={option === value} onClick={() => onChoice(option)}>
        {name}
      </button>
    ))}
  </fieldset>
);
