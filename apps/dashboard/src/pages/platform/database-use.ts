import type { DatabaseWithUsage } from '@postern/contracts';
import { formatBytes, formatCount } from '../../formatting.js';

const cores = (millicores: number): string => `${formatCount(Math.round(millicores))} mCPU`;

/** The limits of a database with what is used of each, where it is known. */
export const databaseUse = ({
  limits,
  usage,
}: Pick<DatabaseWithUsage, 'limits' | 'usage'>): readonly (readonly [what: string, use: string])[] => [
  ['CPU', of(cores, limits.cpu_millicores, usage?.cpu.millicores)],
  ['Memory', of(formatBytes, limits.memory_bytes, usage?.memory.bytes)],
  ['Storage', of(formatBytes, limits.storage_bytes, usage?.storage?.bytes)],
  ['Connections', `at most ${formatCount(limits.connections)}`],
];

const of = (format: (value: number) => string, limit: number, used: number | undefined): string =>
  used === undefined
    ? `at most ${format(limit)}`
    : `${format(used)} of ${format(limit)} (${Math.round((100 * used) / limit)}%)`;
