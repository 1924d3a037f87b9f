import { Refusal } from '@postern/contracts/refusal';
import { Cron } from 'croner';

/** A due time that is older than this is missed: a run much later than scheduled is usually unwanted. */
export const LATE_AFTER_MS = 5 * 60_000;
/** Maximum number of due times that are counted: one week of a job that runs every minute. */
const MAX_COUNTED = 10_080;

/** The due times of a schedule. */
export interface DueTimes {
  /** The time to run the job for now; undefined if it is too long ago. */
  readonly run: Date | undefined;
  /** Times without a run, oldest first and newest last. */
  readonly missed: { readonly count: number; readonly first: Date; readonly last: Date } | undefined;
  /** The first time after now; null if there is none. */
  readonly next: Date | null;
}

/**
 * The times of a cron expression of five fields in a time zone. A time that summer time skips is due when the skipped hour ends; one
 * that occurs twice is due once.
 */
export class Schedule {
  readonly #times: Cron;

  /** @throws the refusal `invalid_input` for an unknown time zone, and an expression that is invalid or has no time after `now`. */
  static parse(expression: string, timeZone: string, now: Date): Schedule {
    if (!isTimeZone(timeZone))
      throw new Refusal('invalid_input', 'time_zone: must be an IANA time zone such as Europe/Berlin');
    let schedule: Schedule;
    try {
      schedule = new Schedule(expression, timeZone);
    } catch (error) {
      throw new Refusal(
        'invalid_input',
        `schedule: must be a cron expression with five fields: ${(error as Error).message}`,
      );
    }
    if (schedule.after(now) === null) throw new Refusal('invalid_input', 'schedule: never runs in the future');
    return schedule;
  }

  constructor(expression: string, timeZone: string) {
    this.#times = new Cron(expression, { paused: true, timezone: timeZone, mode: '5-part' });
  }

  /** The first scheduled time after `time`. */
  after(time: Date): Date | null {
    return this.#times.nextRun(time);
  }

  /** The times that are due at `now`; `due` is the first scheduled time that was not handled. */
  dueTimes(due: Date, now: Date): DueTimes {
    const times: Date[] = [];
    for (let time: Date | null = due; time && time <= now && times.length < MAX_COUNTED; time = this.after(time))
      times.push(time);
    const newest = times.at(-1);
    const run = newest && now.getTime() - newest.getTime() <= LATE_AFTER_MS ? newest : undefined;
    const missed = run ? times.slice(0, -1) : times;
    return {
      run,
      missed:
        missed.length === 0 ? undefined : { count: missed.length, first: missed[0]!, last: missed[missed.length - 1]! },
      next: this.after(now),
    };
  }
}

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};
