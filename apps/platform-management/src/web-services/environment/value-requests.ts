import { v7 as uuidv7 } from 'uuid';
import type { Scope } from './named-values.js';
import type { SetValue, ValueToSet } from './ports.js';

interface RequestedValue {
  readonly key: string;
  readonly value: string;
  readonly scope?: Scope | undefined;
  readonly is_secret?: boolean | undefined;
}

/** A requested variable or secret with the id that it gets if its key is new. */
export const valueToSet = ({ key, value, scope, is_secret }: RequestedValue): ValueToSet => ({
  id: uuidv7(),
  key,
  value,
  scope,
  isSecret: is_secret,
});

/** The created and the updated keys of a bulk change, in the order of the request. */
export const bulkResultOf = (values: readonly SetValue[]): { created: string[]; updated: string[] } => ({
  created: values.filter(({ created }) => created).map(({ key }) => key),
  updated: values.filter(({ created }) => !created).map(({ key }) => key),
});
