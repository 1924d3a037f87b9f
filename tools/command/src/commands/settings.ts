import { UsageError } from '../errors.js';

/**
 * Settings from arguments such as `max_instances=3`, `disk.size_mib=1024` and `branch=`. A value is JSON if it can be read
 * as such, otherwise text; without one, the setting is reset.
 */
export const settingsOf = (pairs: readonly string[]): Record<string, unknown> => {
  const settings: Record<string, unknown> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const path = pair.slice(0, at).split('.');
    if (at < 1 || path.some(name => !/^[A-Za-z_][\w-]*$/.test(name)))
      throw new UsageError(
        `${JSON.stringify(pair)} is not setting=value, such as max_instances=3 or disk.size_mib=1024.`,
      );
    assign(settings, path, parsedValue(pair.slice(at + 1)));
  }
  return settings;
};

const assign = (settings: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void => {
  if (name === '__proto__') throw new UsageError('__proto__ is not a setting.');
  if (rest.length === 0) {
    settings[name] = value;
    return;
  }
  const inner = settings[name] ?? {};
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner))
    throw new UsageError(`${name} is given as a value and as an object.`);
  settings[name] = inner;
  assign(inner as Record<string, unknown>, rest, value);
};

const parsedValue = (text: string): unknown => {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Numbers of instances from `3` or `1-3`, and of processes from `worker=2`. */
export const countsOf = (given: readonly string[]): Record<string, unknown> => {
  const counts: Record<string, unknown> = {};
  const processes: Record<string, number> = {};
  for (const each of given) {
    const [, type, least, most] = /^(?:([A-Za-z0-9_-]+)=)?(\d{1,3})(?:-(\d{1,3}))?$/.exec(each) ?? [];
    if (least === undefined || (type !== undefined && type !== 'web' && most !== undefined))
      throw new UsageError(`${JSON.stringify(each)} is not a number of instances such as 2, 1-3 or worker=2.`);
    if (type !== undefined && type !== 'web') processes[type] = Number(least);
    else Object.assign(counts, { min_instances: Number(least), max_instances: Number(most ?? least) });
  }
  return { ...counts, ...(Object.keys(processes).length > 0 && { processes }) };
};
