import { Refusal } from '@postern/contracts/refusal';
import { Cron } from 'croner';

/** After this, a time of a schedule is missed: a job that runs much later than planned surprises more than it helps. */
export const LATE_AFTER_MS = 5 * 60_000;
/** Times that are counted one by one; a job that runs every minute misses this many in a week. */
const MOST_COUNTED = 10_080;

/** What of a schedule is to be done now. */
export interface DueTimes {
  /** The time that has a run now; undefined if it has come too long ago. */
  readonly run: Date | undefined;
  /** Times without a run, oldest first and newest last. */
  readonly missed: { readonly count: number; readonly first: Date; readonly last: Date } | undefined;
  /** The first time after now; null if there is none. */
  readonly next: Date | null;
}

/** The times of a cron expression of five fields, in UTC. */
export class Schedule {
  readonly #times: Cron;

  /** @throws the refusal `invalid_input` for an expression that is wrong, or has no time after `now`. */
  static parse(expression: string, now: Date): Schedule {
    let schedule: Schedule;
    try {
      schedule = new Schedule(expression);
    } catch (error) {
      throw new Refusal(
        'invalid_input',
        `schedule: must be a cron expression with five fields: ${(error as Error).message}`,
      );
    }
    if (schedule.after(now) === null) throw new Refusal('invalid_input', 'schedule: never runs in the future');
    return schedule;
  }

  constructor(expression: string) {
    this.#times = new Cron(expression, { paused: true, timezone: 'UTC', mode: '5-part' });
  }

  /** The first time after this one. */
  after(time: Date): Date | null {
    return this.#times.nextRun(time);
  }

  /** What is due at `now`, where `due` is the first time that nothing was done for. */
  dueTimes(due: Date, now: Date): DueTimes {
    const times: Date[] = [];
    for (let time: Date | null = due; time && time <= now && times.length < MOST_COUNTED; time = this.after(time))
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
