import { describe, expect, it } from '@jest/globals';
import { Schedule } from './schedule.js';

const at = (time: string) => new Date(`2026-03-01T${time}Z`);
const now = at('10:00:00');

describe('The schedule of a cron job', () => {
  it('is in its time zone, independently of the time zone of the machine', () => {
    expect(Schedule.parse('30 3 * * *', 'UTC', now).after(now)).toEqual(new Date('2026-03-02T03:30:00Z'));
    // Daylight saving time starts in many time zones on this day.
    const change = new Date('2026-03-29T00:00:00Z');
    expect(Schedule.parse('30 2 * * *', 'UTC', change).after(change)).toEqual(new Date('2026-03-29T02:30:00Z'));
  });

  it.each(['', 'tomorrow', '* * * *', '* * * * * *', '60 * * * *', '0 0 30 2 *', '@reboot'])(
    'cannot be %j',
    expression => {
      expect(() => Schedule.parse(expression, 'UTC', now)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    },
  );

  it('has one run for a due time', () => {
    const due = new Schedule('0 * * * *', 'UTC').dueTimes(at('10:00:00'), at('10:00:01'));
    expect(due).toEqual({ run: at('10:00:00'), missed: undefined, next: at('11:00:00') });
  });

  it('has no run before its time', () => {
    const due = new Schedule('0 * * * *', 'UTC').dueTimes(at('11:00:00'), at('10:00:01'));
    expect(due).toEqual({ run: undefined, missed: undefined, next: at('11:00:00') });
  });

  it('runs once after a pause, and returns the missed times', () => {
    const due = new Schedule('*/10 * * * *', 'UTC').dueTimes(at('09:00:00'), at('10:01:00'));
    expect(due.run).toEqual(at('10:00:00'));
    expect(due.missed).toEqual({ count: 6, first: at('09:00:00'), last: at('09:50:00') });
    expect(due.next).toEqual(at('10:10:00'));
  });

  it('does not run for a time that is too long ago', () => {
    const due = new Schedule('0 3 * * *', 'UTC').dueTimes(at('03:00:00'), at('10:00:00'));
    expect(due.run).toBeUndefined();
    expect(due.missed).toEqual({ count: 1, first: at('03:00:00'), last: at('03:00:00') });
    expect(due.next).toEqual(new Date('2026-03-02T03:00:00Z'));
  });

  it.each([
    ['30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z']],
    ['30 2 * * *', '2026-10-24T12:00:00Z', ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z']],
    ['0 9 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T07:00:00Z', '2026-03-30T07:00:00Z']],
  ])('%s in Berlin after %s follows summer time, once a day', (expression, from, expected) => {
    const schedule = new Schedule(expression, 'Europe/Berlin');
    const first = schedule.after(new Date(from))!;
    expect([first, schedule.after(first)]).toEqual(expected.map(time => new Date(time)));
  });

  it.each(['', 'Mars/Olympus', 'Europe'])('cannot be in the time zone %j', timeZone => {
    expect(() => Schedule.parse('0 * * * *', timeZone, now)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining('time_zone') }),
    );
  });
});
