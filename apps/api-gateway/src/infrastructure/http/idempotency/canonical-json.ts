import { isJsonObject } from '@postern/contracts';

/** A text that is equal for equal JSON values: the order of keys makes no difference. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (isJsonObject(inner) ? sorted(inner) : inner)) ?? 'null';

const sorted = (record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
