import { describe, expect, it } from '@jest/globals';
import { Schedule } from './schedule.js';

const at = (time: string) => new Date(`2026-03-01T${time}Z`);
const now = at('10:00:00');

describe('The schedule of a cron job', () => {
  it('is in UTC, independently of the time zone of the machine', () => {
    expect(Schedule.parse('30 3 * * *', now).after(now)).toEqual(new Date('2026-03-02T03:30:00Z'));
    // Daylight saving time starts in many time zones on this day.
    const change = new Date('2026-03-29T00:00:00Z');
    expect(Schedule.parse('30 2 * * *', change).after(change)).toEqual(new Date('2026-03-29T02:30:00Z'));
  });

  it.each(['', 'tomorrow', '* * * *', '* * * * * *', '60 * * * *', '0 0 30 2 *', '@reboot'])(
    'cannot be %j',
    expression => {
      expect(() => Schedule.parse(expression, now)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    },
  );

  it('has one run for a due time', () => {
    const due = new Schedule('0 * * * *').dueTimes(at('10:00:00'), at('10:00:01'));
    expect(due).toEqual({ run: at('10:00:00'), missed: undefined, next: at('11:00:00') });
  });

  it('has no run before its time', () => {
    const due = new Schedule('0 * * * *').dueTimes(at('11:00:00'), at('10:00:01'));
    expect(due).toEqual({ run: undefined, missed: undefined, next: at('11:00:00') });
  });

  it('runs once after a pause, and returns the missed times', () => {
    const due = new Schedule('*/10 * * * *').dueTimes(at('09:00:00'), at('10:01:00'));
    expect(due.run).toEqual(at('10:00:00'));
    expect(due.missed).toEqual({ count: 6, first: at('09:00:00'), last: at('09:50:00') });
    expect(due.next).toEqual(at('10:10:00'));
  });

  it('does not run for a time that is too long ago', () => {
    const due = new Schedule('0 3 * * *').dueTimes(at('03:00:00'), at('10:00:00'));
    expect(due.run).toBeUndefined();
    expect(due.missed).toEqual({ count: 1, first: at('03:00:00'), last: at('03:00:00') });
    expect(due.next).toEqual(new Date('2026-03-02T03:00:00Z'));
  });
});
