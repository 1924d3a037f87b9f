import type { WebService } from '@postern/contracts';
import type { Values } from '../../components/form.js';
import { parseProcesses } from './processes.js';

const NUMBERS = new Set(['port', 'min_instances', 'max_instances', 'drain_seconds', 'first_byte_timeout_seconds']);
const REQUIRED = new Set(['name', 'git_repository_url', 'image', 'environment']);
/** The fields of `instance`; the API accepts both or none. */
const SIZES = ['memory_mib', 'cpu_millicores'];

/** The prefix of the fields of `health_check`. */
const HEALTH = 'health_check.';

/** The changes of a PATCH, from the values of a settings form. An empty optional field removes the setting. */
export const changesOf = (values: Values): Record<string, unknown> => {
  const entries = Object.entries(values);
  const sizes = entries.filter(([name]) => SIZES.includes(name));
  const checks = entries.filter(([name]) => name.startsWith(HEALTH));
  const others = entries
    .filter(([name]) => !SIZES.includes(name) && !name.startsWith(HEALTH))
    .map(([name, value]) => [name, change(name, value)]);
  return {
    ...Object.fromEntries(others),
    ...(sizes.length > 0 ? { instance: sizeOf(sizes) } : {}),
    ...(checks.length > 0 ? { health_check: healthCheckOf(checks) } : {}),
  };
};

const change = (name: string, value: string): unknown => {
  if (name === 'processes') return parseProcesses(value);
  if (name === 'disk') return diskOf(value);
  if (name === 'watch_paths') return value.split(/\s+/).filter(Boolean);
  if (NUMBERS.has(name)) return value === '' ? null : Number(value);
  return value === '' && !REQUIRED.has(name) ? null : value;
};

const diskOf = (value: string): WebService['disk'] => (value === '' ? null : { size_mib: Number(value) });

const healthCheckOf = (checks: readonly (readonly [string, string])[]): Record<string, unknown> | null => {
  const given = checks.flatMap(([name, value]) => {
    const field = name.slice(HEALTH.length);
    return value === '' ? [] : [[field, field === 'host' ? value : Number(value)] as const];
  });
  return given.length === 0 ? null : Object.fromEntries(given);
};

const sizeOf = (sizes: readonly (readonly [string, string])[]): Record<string, number> | null => {
  const given = sizes.filter(([, value]) => value !== '').map(([name, value]) => [name, Number(value)]);
  return given.length === 0 ? null : Object.fromEntries(given);
};
