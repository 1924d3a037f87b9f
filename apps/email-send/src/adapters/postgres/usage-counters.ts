import type { ClientBase } from 'pg';
import { dayStart, minuteStart, type Usage } from '../../domain/email-limits.js';
import type { Asking } from '../../ports.js';

/** One counter: a service's messages in one UTC minute or day. */
interface Counter {
  readonly serviceId: string;
  readonly period: 'minute' | 'day';
  readonly startsAtMs: number;
}

interface OpenCounter extends Counter {
  inAdvance: number;
  used: number;
  limit: number | undefined;
}

type Counted = Pick<Asking, 'serviceId' | 'at'>;
type CountedAsking = Asking & { readonly counts: boolean };

const nameOf = ({ serviceId, period, startsAtMs }: Counter) => `${serviceId} ${period} ${startsAtMs}`;
const minuteCounter = ({ serviceId, at }: Counted): Counter => ({
  serviceId,
  period: 'minute',
  startsAtMs: minuteStart(at),
});
const dayCounter = ({ serviceId, at }: Counted): Counter => ({ serviceId, period: 'day', startsAtMs: dayStart(at) });

/**
 * The counters of a batch of requests, locked until its transaction ends: all replicas count against the same rows,
 * one batch after the other. Every request is counted in advance, for most are let in; `settle` takes back the rest.
 */
export class UsageCounters {
  readonly #counters = new Map<string, OpenCounter>();

  /** What the requests would count, nothing counted yet. `counts`: whether the request also counts against the day. */
  static of(asking: readonly CountedAsking[]): UsageCounters {
    const usage = new UsageCounters();
    for (const request of asking) {
      const { counts, perMinuteLimit, dailyLimit } = request;
      const [minute, day] = [usage.#open(minuteCounter(request)), usage.#open(dayCounter(request))];
      minute.inAdvance += 1;
      minute.limit = Math.min(minute.limit ?? perMinuteLimit, perMinuteLimit);
      if (!counts) continue;
      day.inAdvance += 1;
      day.limit = Math.min(day.limit ?? dailyLimit, dailyLimit);
    }
    return usage;
  }

  static async take(client: ClientBase, asking: readonly CountedAsking[]): Promise<UsageCounters> {
    const usage = UsageCounters.of(asking);
    usage.counted(await add(client, usage.#inAdvance()));
    return usage;
  }

  /** What is to be added, and the least limit that has to hold afterwards, as columns in the order for everybody. */
  columns(): [string[], string[], Date[], number[], (number | null)[]] {
    const ordered = inOrder(this.#inAdvance());
    return [...columnsOf(ordered), ordered.map(({ by }) => by), ordered.map(({ limit }) => limit ?? null)];
  }

  /** Takes over where the counters stand once all was counted. */
  counted(rows: readonly UsageRow[]): void {
    for (const row of rows) {
      const counter = this.#open({
        serviceId: row.service_id,
        period: row.period,
        startsAtMs: row.starts_at.getTime(),
      });
      counter.used = row.used - counter.inAdvance;
    }
  }

  /** What a request meets, those before it in the batch counted. */
  of(request: Asking): Usage {
    return usageOf(request, counter => this.#open(counter).used);
  }

  set(request: Asking, { minuteUsed, dayUsed }: Usage): void {
    const [minute, day] = [this.#open(minuteCounter(request)), this.#open(dayCounter(request))];
    minute.inAdvance -= minuteUsed - minute.used;
    minute.used = minuteUsed;
    day.inAdvance -= dayUsed - day.used;
    day.used = dayUsed;
  }

  /** Takes back what was counted in advance for requests that were not let in. */
  async settle(client: ClientBase): Promise<void> {
    const surplus = [...this.#counters.values()].filter(({ inAdvance }) => inAdvance > 0);
    if (surplus.length > 0)
      await add(
        client,
        surplus.map(counter => ({ ...counter, by: -counter.inAdvance })),
      );
  }

  #inAdvance(): (OpenCounter & { readonly by: number })[] {
    return [...this.#counters.values()].map(counter => ({ ...counter, by: counter.inAdvance }));
  }

  #open(counter: Counter): OpenCounter {
    const name = nameOf(counter);
    const known = this.#counters.get(name) ?? { ...counter, inAdvance: 0, used: 0, limit: undefined };
    this.#counters.set(name, known);
    return known;
  }
}

/** The usage that a request meets now, nothing counted and nothing locked. */
export async function readUsage(client: Pick<ClientBase, 'query'>, request: Asking): Promise<Usage> {
  const counters = [minuteCounter(request), dayCounter(request)];
  const { rows } = await client.query<{ period: Counter['period']; used: number }>({
    name: 'read-sending-usage',
    text: `SELECT period, used FROM sending_usage
           JOIN unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS asked (service_id, period, starts_at)
             USING (service_id, period, starts_at)`,
    values: columnsOf(counters),
  });
  return usageOf(request, ({ period }) => rows.find(row => row.period === period)?.used ?? 0);
}

/** Gives places in the day back whose messages were not handed over. */
export async function giveBackDays(client: ClientBase, messages: readonly Counted[]): Promise<void> {
  const days = new Map<string, Counter & { by: number }>();
  for (const message of messages) {
    const counter = dayCounter(message);
    const known = days.get(nameOf(counter)) ?? { ...counter, by: 0 };
    known.by -= 1;
    days.set(nameOf(counter), known);
  }
  if (days.size > 0) await add(client, [...days.values()]);
}

function usageOf(request: Asking, usedOf: (counter: Counter) => number): Usage {
  return {
    minuteUsed: usedOf(minuteCounter(request)),
    minuteLimit: request.perMinuteLimit,
    dayUsed: usedOf(dayCounter(request)),
    dayLimit: request.dailyLimit,
  };
}

export interface UsageRow {
  readonly service_id: string;
  readonly period: Counter['period'];
  readonly starts_at: Date;
  readonly used: number;
}

/** Rows are touched in one order by everybody, so that two transactions never wait for each other. */
async function add(client: ClientBase, counters: readonly (Counter & { by: number })[]): Promise<UsageRow[]> {
  const ordered = inOrder(counters);
  const { rows } = await client.query<UsageRow>({
    name: 'add-sending-usage',
    text: `INSERT INTO sending_usage AS usage (service_id, period, starts_at, used)
           SELECT service_id, period, starts_at, by FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::integer[])
             AS counted (service_id, period, starts_at, by)
           ON CONFLICT (service_id, period, starts_at) DO UPDATE SET used = greatest(0, usage.used + excluded.used)
           RETURNING service_id, period, starts_at, used`,
    values: [...columnsOf(ordered), ordered.map(({ by }) => by)],
  });
  return rows;
}

const inOrder = <One extends Counter>(counters: readonly One[]): One[] =>
  counters.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

function columnsOf(counters: readonly Counter[]): [string[], string[], Date[]] {
  return [
    counters.map(({ serviceId }) => serviceId),
    counters.map(({ period }) => period),
    counters.map(({ startsAtMs }) => new Date(startsAtMs)),
  ];
}
