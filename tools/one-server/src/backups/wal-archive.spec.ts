import { describe, expect, it } from '@jest/globals';
import {
  type BackupWal,
  demandTarget,
  hasGap,
  joinRanges,
  nameOfWalFile,
  parseWalFile,
  rangeText,
  restorableRange,
  unneededWal,
  type WalFile,
} from './wal-archive.js';

const at = (time: string): Date => new Date(`2026-11-27T${time}Z`);
const file = (name: string, time: string): WalFile => ({ name, writtenAt: at(time), digest: 'a'.repeat(64) });
const segment = (number: string, time: string, timeline = '00000001'): WalFile =>
  file(`${timeline}00000000000000${number}`, time);

const BACKUP: BackupWal = {
  system: '7577',
  timeline: 1,
  start: '0/5000028',
  end: '0/6000138',
  endedAt: '2026-11-27T18:00:05.000Z',
};

describe('A file of the WAL archive', () => {
  it.each([
    '000000010000000000000005',
    '00000002.history',
    '000000010000000000000005.00000028.backup',
    '000000010000000000000005.partial',
  ])('keeps the name %s, the time of its last record and its digest in its name', name => {
    const written = file(name, '18:00:05');
    expect(parseWalFile(nameOfWalFile(written))).toEqual(written);
  });

  it.each(['incomplete', '000000010000000000000005', '000000010000000000000005.zst.age', 'README.md'])(
    'is not %s',
    name => expect(parseWalFile(name)).toBeUndefined(),
  );
});

describe('The times to which a backup can be restored', () => {
  const files = [segment('05', '18:00:01'), segment('06', '18:00:10'), segment('07', '18:01:10')];

  it('begin with its end, and end with the last segment', () =>
    expect(restorableRange(files, BACKUP)).toEqual({ from: at('18:00:05'), to: at('18:01:10') }));

  it('end before a segment that is missing', () =>
    expect(restorableRange([...files, segment('09', '18:03:10')], BACKUP)?.to).toEqual(at('18:01:10')));

  it('do not continue on the timeline of a restore', () =>
    expect(restorableRange([...files, segment('08', '19:00:00', '00000002')], BACKUP)?.to).toEqual(at('18:01:10')));

  it('are none without the segment in which it ends', () =>
    expect(restorableRange([segment('05', '18:00:01'), segment('07', '18:01:10')], BACKUP)).toBeUndefined());

  it('continue after the last segment of a log file', () => {
    const end = { ...BACKUP, end: '0/FF000100' };
    const next = [segment('FF', '18:00:10'), file('000000010000000100000000', '18:01:10')];
    expect(restorableRange(next, end)?.to).toEqual(at('18:01:10'));
  });

  it('begin in the segment before, if the last record ends with its segment', () =>
    expect(restorableRange([segment('05', '18:00:10')], { ...BACKUP, end: '0/6000000' })?.to).toEqual(at('18:00:10')));

  it('of several backups are one range where they overlap', () =>
    expect(
      joinRanges([
        { from: at('18:00:00'), to: at('20:00:00') },
        { from: at('12:00:00'), to: at('13:00:00') },
        { from: at('19:00:00'), to: at('19:30:00') },
        { from: at('20:00:00'), to: at('21:00:00') },
      ]).map(rangeText),
    ).toEqual([
      'from 2026-11-27T12:00:00Z to 2026-11-27T13:00:00Z',
      'from 2026-11-27T18:00:00Z to 2026-11-27T21:00:00Z',
    ]));
});

describe('A gap in the archive', () => {
  it('is a missing segment with later ones', () =>
    expect(hasGap([segment('06', '18:00:10'), segment('08', '18:02:10')], BACKUP)).toBe(true));

  it('is also the missing segment in which the backup ends', () =>
    expect(hasGap([segment('07', '18:01:10')], BACKUP)).toBe(true));

  it.each([
    ['before the end of the backup', [segment('03', '17:00:00'), segment('06', '18:00:10')]],
    ['on another timeline', [segment('06', '18:00:10'), segment('08', '19:00:00', '00000002')]],
    ['after the last segment', []],
  ])('is nothing %s', (_, files) => expect(hasGap(files, BACKUP)).toBe(false));
});

describe('WAL', () => {
  const paths = [
    segment('04', '17:00:00'),
    file('000000010000000000000004.00000028.backup', '17:00:00'),
    segment('05', '18:00:01'),
    segment('06', '18:00:10'),
    file('00000002.history', '17:30:00'),
  ].map(each => `7577/${nameOfWalFile(each)}`);

  it('is not needed if it is older than every kept backup; histories stay', () =>
    expect(unneededWal(paths, [BACKUP])).toEqual(paths.slice(0, 2)));

  it('stays for the kept backup that needs the oldest, whichever was made last', () =>
    expect(unneededWal(paths, [BACKUP, { ...BACKUP, timeline: 2, start: '0/4000028' }])).toEqual([]));

  it('of a cluster without a backup is not needed', () =>
    expect(unneededWal(paths, [{ ...BACKUP, system: '8000' }])).toEqual(paths));

  it('that is being written is none', () => expect(unneededWal(['7577/123.incomplete', '7577'], [])).toEqual([]));
});

describe('A restore to a time', () => {
  const range = { from: at('18:00:05'), to: at('18:01:10') };
  const possible = 'This backup can be restored to times from 2026-11-27T18:00:05Z to 2026-11-27T18:01:10Z.';
  const now = at('18:05:00');

  it.each(['18:00:05', '18:01:10'])('is possible at %s, the end of the range', time =>
    expect(() => demandTarget(at(time), range, now)).not.toThrow(),
  );

  it.each([
    ['18:00:04.999', 'before the end of this backup'],
    ['18:01:10.001', 'after the last archived WAL'],
    ['18:05:00.001', 'in the future'],
  ])('at %s is refused: it is %s', (time, reason) => {
    expect(() => demandTarget(at(time), range, now)).toThrow(reason);
    expect(() => demandTarget(at(time), range, now)).toThrow(possible);
  });

  it('is refused for a backup without WAL', () =>
    expect(() => demandTarget(at('18:00:05'), undefined, now)).toThrow('can only be restored as it is'));
});
