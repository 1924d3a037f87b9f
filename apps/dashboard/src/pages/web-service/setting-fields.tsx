import { Field } from '../../components/form.js';

interface OptionalProps {
  readonly label: string;
  readonly name: string;
  readonly value: string | null;
  readonly hint?: string;
}

export const Optional = ({ value, hint = 'Optional', ...field }: OptionalProps) => (
  <Field {...field} hint={hint} defaultValue={value ?? ''} autocomplete="off" spellcheck={false} />
);

interface LimitProps {
  readonly label: string;
  readonly name: string;
  readonly value: number | null | undefined;
  readonly range: readonly [number, number];
  readonly hint?: string;
}

export const Limit = ({ value, range: [min, max], ...field }: LimitProps) => (
  <Field {...field} type="number" min={min} max={max} defaultValue={value ? String(value) : ''} />
);

interface NumericProps {
  readonly label: string;
  readonly name: string;
  readonly value: number;
  readonly max: number;
}

export const Numeric = ({ value, ...field }: NumericProps) => (
  <Field {...field} type="number" min={1} required defaultValue={String(value)} />
);
