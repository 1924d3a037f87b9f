import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Size of the WAL segments of a cluster that `initdb` creates. */
const SEGMENT_BYTES = 16n * 1024n ** 2n;
const SEGMENT = /^[0-9A-F]{24}$/;
const FILE =
  /^([0-9A-F]{8}(?:[0-9A-F]{16})?(?:\.[\w.]+)?)\.(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z\.([0-9a-f]{64})\.zst\.age$/;

/** A file of the WAL archive. Its name has what a restore must know, so that it can be copied with any program. */
export interface WalFile {
  /** The name that PostgreSQL gives it: a segment, the history of a timeline, or the label of a base backup. */
  readonly name: string;
  /** When PostgreSQL wrote to it last, in whole seconds: transactions until then are in this file or in those before it. */
  readonly writtenAt: Date;
  /** SHA-256 of its content. */
  readonly digest: string;
}

/** What a backup says about the WAL that continues it. Positions are LSNs such as `0/3000028`. */
export interface BackupWal {
  /** The system identifier of the cluster. */
  readonly system: string;
  readonly timeline: number;
  readonly start: string;
  readonly end: string;
  /** When the copy was complete: the earliest time to which it can be restored. */
  readonly endedAt: string;
  /** The number of events of each database in the WAL that was archived before the backup was complete. */
  readonly events?: Readonly<Record<string, number>>;
}

/** A range of times, both ends included. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

export const nameOfWalFile = ({ name, writtenAt, digest }: WalFile): string =>
  `${name}.${writtenAt.toISOString().slice(0, 19).replaceAll(':', '-')}Z.${digest}.zst.age`;

/** @returns undefined for other files, such as one that is being written. */
export const parseWalFile = (file: string): WalFile | undefined => {
  const [, name = '', day, hour, minute, second, digest = ''] = FILE.exec(file) ?? [];
  if (name === '') return undefined;
  return { name, writtenAt: new Date(`${day}T${hour}:${minute}:${second}Z`), digest };
};

/** The folder with the WAL of all clusters, beside the backups. */
export const walFolderOf = (backups: string): string => join(backups, 'wal');

/** The folder with the WAL that continues a backup. */
export const walFolderOfBackup = (backup: string, { system }: BackupWal): string =>
  join(walFolderOf(dirname(backup)), system);

export const listWal = (folder: string): readonly WalFile[] =>
  (existsSync(folder) ? readdirSync(folder) : []).flatMap(file => parseWalFile(file) ?? []);

const bytesOf = (lsn: string): bigint => {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
};

/** The number of a segment within its timeline; also of a base backup's label and of a partial segment. */
const numberOfSegment = (name: string): bigint =>
  (BigInt(`0x${name.slice(8, 16)}`) << 8n) + BigInt(`0x${name.slice(16, 24)}`);

const hex = (value: bigint): string => value.toString(16).toUpperCase().padStart(8, '0');

const segmentName = (timeline: number, number: bigint): string =>
  `${hex(BigInt(timeline))}${hex(number >> 8n)}${hex(number & 255n)}`;

/** The segment with the last record of a backup: its end is the position after this record. */
const lastSegmentOf = ({ end }: BackupWal): bigint => (bytesOf(end) - 1n) / SEGMENT_BYTES;

/**
 * The times to which a backup can be restored: from its end to the last segment before one that is missing, on its own timeline.
 * A restore begins another timeline, and makes a backup on it. @returns undefined without the segment in which the backup ends.
 */
export const restorableRange = (files: readonly WalFile[], wal: BackupWal): TimeRange | undefined => {
  const segments = new Map(files.map(file => [file.name, file]));
  const from = new Date(wal.endedAt);
  let to: Date | undefined;
  for (let number = lastSegmentOf(wal); ; number++) {
    const segment = segments.get(segmentName(wal.timeline, number));
    if (!segment) break;
    to = segment.writtenAt;
  }
  return to === undefined || to < from ? undefined : { from, to };
};

/** Ranges that overlap as one, in the order of their times. */
export const joinRanges = (ranges: readonly TimeRange[]): readonly TimeRange[] => {
  const joined: TimeRange[] = [];
  for (const range of [...ranges].sort((one, other) => one.from.getTime() - other.from.getTime())) {
    const last = joined.at(-1);
    if (!last || range.from > last.to) joined.push(range);
    else if (range.to > last.to) joined[joined.length - 1] = { from: last.from, to: range.to };
  }
  return joined;
};

/** Whether there are segments after one that is missing, so that the range of a backup ends before the archive does. */
export const hasGap = (files: readonly WalFile[], wal: BackupWal): boolean => {
  const numbers = files
    .filter(({ name }) => SEGMENT.test(name) && Number.parseInt(name.slice(0, 8), 16) === wal.timeline)
    .map(({ name }) => numberOfSegment(name))
    .filter(number => number >= lastSegmentOf(wal))
    .sort((one, other) => (one < other ? -1 : 1));
  return numbers.some((number, index) => number !== lastSegmentOf(wal) + BigInt(index));
};

/**
 * The files of the archive that no kept backup needs, also those of clusters without a backup. The histories of timelines are
 * small, and stay while their cluster has a backup. @param paths `<system identifier>/<file>`
 */
export const unneededWal = (paths: readonly string[], kept: readonly BackupWal[]): readonly string[] =>
  paths.filter(path => {
    const [system, file = ''] = path.split('/');
    const name = parseWalFile(file)?.name;
    if (name === undefined) return false;
    const starts = kept.filter(wal => wal.system === system).map(({ start }) => bytesOf(start) / SEGMENT_BYTES);
    return starts.length === 0 || (name.length >= 24 && starts.every(start => numberOfSegment(name) < start));
  });

const shown = (time: Date): string => time.toISOString().replace('.000Z', 'Z');

export const rangeText = ({ from, to }: TimeRange): string => `from ${shown(from)} to ${shown(to)}`;

/** @throws in words if a backup cannot be restored to a time. */
export const demandTarget = (target: Date, range: TimeRange | undefined, now = new Date()): void => {
  if (!range)
    throw new Error(
      'This backup has no WAL beside it that continues it, so it can only be restored as it is: leave out --target-time.',
    );
  const possible = `This backup can be restored to times ${rangeText(range)}.`;
  if (target > now) throw new Error(`${shown(target)} is in the future. ${possible}`);
  if (target < range.from)
    throw new Error(
      `${shown(target)} is before the end of this backup. ${possible} Use an older backup: postern backup list`,
    );
  if (target > range.to) throw new Error(`${shown(target)} is after the last archived WAL. ${possible}`);
};
