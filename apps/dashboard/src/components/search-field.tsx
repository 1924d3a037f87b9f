import { useEffect, useId, useState } from 'preact/hooks';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  /** Called with the trimmed text once it has not changed for a moment. */
  readonly onSearch: (text: string) => void;
}

const AFTER_MS = 300;

/** A field that searches while the user types. */
export const SearchField = ({ label, value, onSearch }: SearchFieldProps) => {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => onSearch(text.trim()), AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={text}
        maxLength={200}
        autocomplete="off"
        spellcheck={false}
        onInput={event => setText(event.currentTarget.value)}
      />
    </div>
  );
};
