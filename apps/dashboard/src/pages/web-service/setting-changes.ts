import type { WebService } from '@postern/contracts';
import type { Values } from '../../components/form.js';
import { parseBuildArguments } from './build-arguments.js';
import { parseProcesses } from './processes.js';

const NUMBERS = new Set(['port', 'min_instances', 'max_instances', 'drain_seconds', 'first_byte_timeout_seconds']);
const REQUIRED = new Set(['name', 'git_repository_url', 'image', 'environment']);
/** The fields of `instance`; the API accepts both or none. */
const SIZES = ['memory_mib', 'cpu_millicores'];

/** Settings that are objects; the names of their fields begin with theirs, such as `health_check.host`. */
const GROUPS = ['health_check', 'autoscaling'] as const;
const groupOf = (name: string) => GROUPS.find(group => name.startsWith(`${group}.`));

/** The changes of a PATCH, from the values of a settings form. An empty optional field removes the setting. */
export const changesOf = (values: Values): Record<string, unknown> => {
  const entries = Object.entries(values);
  const sizes = entries.filter(([name]) => SIZES.includes(name));
  const grouped = Map.groupBy(entries, ([name]) => groupOf(name));
  const others = (grouped.get(undefined) ?? [])
    .filter(([name]) => !SIZES.includes(name))
    .map(([name, value]) => [name, change(name, value)]);
  return {
    ...Object.fromEntries(others),
    ...(sizes.length > 0 ? { instance: sizeOf(sizes) } : {}),
    ...Object.fromEntries(
      GROUPS.flatMap(group => {
        const fields = grouped.get(group);
        return fields ? [[group, fieldsOf(group, fields)]] : [];
      }),
    ),
  };
};

const change = (name: string, value: string): unknown => {
  if (name === 'processes') return parseProcesses(value);
  if (name === 'build_args') return parseBuildArguments(value);
  if (name === 'disk') return diskOf(value);
  if (name === 'watch_paths') return value.split(/\s+/).filter(Boolean);
  if (NUMBERS.has(name)) return value === '' ? null : Number(value);
  return value === '' && !REQUIRED.has(name) ? null : value;
};

const diskOf = (value: string): WebService['disk'] => (value === '' ? null : { size_mib: Number(value) });

const fieldsOf = (group: string, fields: readonly (readonly [string, string])[]): Record<string, unknown> | null => {
  const given = fields.flatMap(([name, value]) => {
    const field = name.slice(group.length + 1);
    return value === '' ? [] : [[field, field === 'host' ? value : Number(value)] as const];
  });
  return given.length === 0 ? null : Object.fromEntries(given);
};

const sizeOf = (sizes: readonly (readonly [string, string])[]): Record<string, number> | null => {
  const given = sizes.filter(([, value]) => value !== '').map(([name, value]) => [name, Number(value)]);
  return given.length === 0 ? null : Object.fromEntries(given);
};
