import type { Fields } from '../mime-part.js';

const MAX_TEXT = 500;

/** The first value of a field as one line, at most 500 characters. */
export function fieldText(fields: Fields | undefined, name: string): string | undefined {
  const value = fields
    ?.get(name)?.[0]
    ?.replace(/[\x00-\x1f\x7f]+/g, ' ')
    .trim();
  return value === undefined || value === '' ? undefined : value.slice(0, MAX_TEXT);
}

/** `smtp; 550 no` → `550 no`. */
export function afterType(value: string | undefined): string | undefined {
  const rest = value?.replace(/^[A-Za-z0-9-]+\s*;\s*/, '');
  return rest === '' ? undefined : rest;
}

/** An object with the key, or without it if there is no value. */
export function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V });
}
