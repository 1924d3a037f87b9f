import { describe, expect, it } from '@jest/globals';
import { type CheckState, compare, NOTHING_REPORTED, type PlacedFinding } from './lines.js';
import { noticeOf } from './notice.js';

const finding = (
  check: string,
  verdict: PlacedFinding['verdict'],
  found = verdict as string,
  more: Partial<PlacedFinding> = {},
): PlacedFinding => ({ place: 'server', check, verdict, found, ...more });

/** What the operator is reported about each of several runs. */
const reported = (...runs: (readonly PlacedFinding[] | 'unreached')[]): string[][] => {
  let state: CheckState = NOTHING_REPORTED;
  return runs.map(run => {
    const compared = run === 'unreached' ? compare(state, [], true) : compare(state, run);
    state = compared.state;
    return compared.changes.map(({ check, after }) => `${check}: ${after?.found ?? 'gone'}`);
  });
};

describe('The operator is notified of', () => {
  it('nothing at the first check if everything is good, and what is not good otherwise', () => {
    expect(reported([finding('disk', 'good'), finding('backup', 'good')])).toEqual([[]]);
    expect(reported([finding('disk', 'good'), finding('backup', 'bad', 'none')])).toEqual([['backup: none']]);
  });

  it('once when a line becomes bad, once when it becomes good, and nothing in between', () =>
    expect(
      reported(
        [finding('disk', 'good', '80 % free')],
        [finding('disk', 'bad', '2 % free')],
        [finding('disk', 'bad', '2 % free')],
        [finding('disk', 'good', '70 % free')],
        [finding('disk', 'good', '69 % free')],
      ),
    ).toEqual([[], ['disk: 2 % free'], [], ['disk: 70 % free'], []]));

  it('when a warning becomes a failure', () =>
    expect(reported([finding('disk', 'warning')], [finding('disk', 'bad')])).toEqual([
      ['disk: warning'],
      ['disk: bad'],
    ]));

  it('nothing when only numbers, times and sizes change', () =>
    expect(
      reported(
        [finding('backup', 'bad', '13.2 hours old')],
        [finding('backup', 'bad', '14.2 hours old, at 2026-11-28T01:00:00Z')],
        [finding('backup', 'bad', '15 hours old, at 2026-11-28T02:10:00Z')],
      )[2],
    ).toEqual([]));

  it('when a failure has another reason', () =>
    expect(
      reported([finding('units', 'bad', 'not active: a')], [finding('units', 'bad', 'not active: a, b')])[1],
    ).toEqual(['units: not active: a, b']));

  it('when a failed check disappears', () =>
    expect(reported([finding('port 25', 'bad')], [])[1]).toEqual(['port 25: gone']));

  it('nothing when a check cannot be carried out once or twice, but the third time in succession', () => {
    const lost = finding('mx A', 'warning', 'could not be looked up (ETIMEOUT)', { unknown: true });
    const good = finding('mx A', 'good');
    expect(reported([good], [lost], [lost], [good], [lost], [lost], [lost], [lost], [good])).toEqual([
      [],
      [],
      [],
      [],
      [],
      [],
      ['mx A: could not be looked up (ETIMEOUT)'],
      [],
      ['mx A: good'],
    ]);
  });

  it('nothing about lines from inside while nothing inside can be asked', () => {
    const inside = finding('relay', 'bad', 'ECONNREFUSED', { place: 'email-send' });
    expect(reported([inside], 'unreached', [inside])).toEqual([['email-send: relay: ECONNREFUSED'], [], []]);
  });

  it('nothing about the other lines of a service while it does not respond, or of any while NATS does not', () => {
    const inside = finding('PostgreSQL backups', 'warning', 'never', { place: 'email-send' });
    const silent = finding('responds', 'bad', 'no response', { place: 'email-send' });
    const nats = finding('connection', 'bad', 'no response', { place: 'NATS' });
    expect(reported([inside], [silent], [inside], [nats], [inside])).toEqual([
      ['email-send: PostgreSQL backups: never'],
      ['email-send: responds: no response'],
      ['email-send: responds: gone'],
      ['NATS: connection: no response'],
      ['NATS: connection: gone'],
    ]);
  });

  it('one line for findings with the same name, with the worst verdict', () => {
    const place = { place: 'web services' };
    const gaps = [finding('isolation', 'warning', 'no users', place), finding('isolation', 'bad', 'no limits', place)];
    expect(compare(NOTHING_REPORTED, gaps).changes).toEqual([
      {
        check: 'web services: isolation',
        before: undefined,
        after: { verdict: 'bad', found: 'no users; no limits' },
      },
    ]);
  });
});

describe('The message to the operator', () => {
  it('has what changed, what to do, and what else is not good', () => {
    const first = compare(NOTHING_REPORTED, [finding('clock', 'warning', 'not synchronized'), finding('disk', 'good')]);
    const { state, changes } = compare(first.state, [
      finding('clock', 'warning', 'not synchronized'),
      finding('disk', 'bad', '2 % free', { advice: 'Free space.' }),
    ]);
    const { subject, text } = noticeOf('postern.example.com', changes, state.lines);
    expect(subject).toBe('postern.example.com: check disk');
    expect(text).toMatch(
      /found a change:\n\n✗ disk: 2 % free \(was ✓\)\n {4}Free space\.\n\nAs before:\n\n! clock: not/,
    );
  });

  it('says that a line is good again, and has a subject of one short line', () => {
    const bad = compare(NOTHING_REPORTED, [finding('disk', 'bad')]);
    const { state, changes } = compare(bad.state, [finding('disk', 'good', '40 % free')]);
    expect(noticeOf('a.example.com', changes, state.lines).subject).toBe('a.example.com: disk is good again');
    const many = compare(
      NOTHING_REPORTED,
      Array.from({ length: 40 }, (_, index) => finding(`record ${index}`, 'bad')),
    );
    expect(noticeOf('a.example.com', many.changes, many.state.lines).subject.length).toBeLessThanOrEqual(120);
  });
});
