import { ApiError } from '../../api-client.js';

export interface Pair {
  readonly key: string;
  readonly value: string;
}

/** Parses `KEY=value` lines, ignoring blank lines and comments. Throws an error with the number of an invalid line. */
export const parseEnvLines = (text: string): Pair[] =>
  text.split(/\r?\n/).flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const match = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/.exec(trimmed);
    if (!match) throw new ApiError(0, `Line ${index + 1} must have the format KEY=value.`);
    const [, key = '', value = ''] = match;
    return [{ key, value: unquoted(value) }];
  });

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;

/** Returns `is_secret` for a checked box only, because the API does not change an existing variable without it. */
export const maskingOf = (checkbox: string | undefined): { readonly is_secret?: true } =>
  checkbox === 'on' ? { is_secret: true } : {};
