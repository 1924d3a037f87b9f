import { ApiError } from '../../api-client.js';

export interface Pair {
  readonly key: string;
  readonly value: string;
}

/** What `KEY=value` lines say; blank lines and comments are passed over. Throws an error that names the line at fault. */
export const pairsIn = (text: string): Pair[] =>
  text.split(/\r?\n/).flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const found = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/.exec(trimmed);
    if (!found) throw new ApiError(0, `Line ${index + 1} is not of the form KEY=value.`);
    const [, key = '', value = ''] = found;
    return [{ key, value: unquoted(value) }];
  });

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
