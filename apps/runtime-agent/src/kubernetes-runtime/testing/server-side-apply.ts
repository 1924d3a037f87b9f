import type { Json } from './any-object.js';

/** Field managers of an object: for each manager, the paths of the leaves that it owns. */
export type Ownership = Map<string, Set<string>>;

const SEPARATOR = '\u0000';
const isBranch = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/** Lists count as one value each, which is correct if they have a single manager. */
const leavesOf = (value: Json, path: readonly string[] = []): string[] =>
  Object.entries(value).flatMap(([key, inner]) =>
    isBranch(inner) ? leavesOf(inner, [...path, key]) : [[...path, key].join(SEPARATOR)],
  );

/** RFC 7386. */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Json = typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
};

const without = (target: Json, [key = '', ...rest]: readonly string[]): Json => {
  const { [key]: inner, ...others } = target;
  if (rest.length === 0) return others;
  return isBranch(inner) ? { ...others, [key]: without(inner, rest) } : target;
};

/**
 * The result of a forced server-side apply: sets the fields of the manager, removes fields that it no longer applies
 * unless another manager owns them too, and keeps all others.
 */
export const applied = (before: Json | undefined, ownership: Ownership, manager: string, configuration: Json): Json => {
  const { apiVersion: _, kind: __, ...fields } = configuration;
  const leaves = new Set(leavesOf(fields));
  const others = new Set([...ownership].filter(([name]) => name !== manager).flatMap(([, owned]) => [...owned]));
  let result = before ?? {};
  for (const leaf of ownership.get(manager) ?? [])
    if (!leaves.has(leaf) && !others.has(leaf)) result = without(result, leaf.split(SEPARATOR));
  for (const [name, owned] of ownership)
    if (name !== manager) for (const leaf of leaves) if (isForced(before, configuration, leaf)) owned.delete(leaf);
  ownership.set(manager, leaves);
  return mergePatch(result, configuration) as Json;
};

/** Managers that apply the same value share the field; a different value takes the field over. */
const isForced = (before: Json | undefined, configuration: Json, leaf: string): boolean => {
  const at = (value: unknown) =>
    leaf.split(SEPARATOR).reduce<unknown>((inner, key) => (inner as Json | undefined)?.[key], value);
  return JSON.stringify(at(before)) !== JSON.stringify(at(configuration));
};
