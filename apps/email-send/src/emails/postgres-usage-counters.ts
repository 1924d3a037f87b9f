import type { ClientBase } from 'pg';
import { dayStart, minuteStart, type Usage } from '../email-services/email-limits.js';
import type { EmailFacts } from './email.js';
import { ADD_USAGE, READ_USAGE } from './emails.sql.js';
import type { AdmissionContext } from './ports.js';

/** One counter: a service's messages in one UTC minute or day; `shared_day`: to strangers through the shared sender. */
interface Counter {
  readonly serviceId: string;
  readonly period: 'minute' | 'day' | 'shared_day';
  readonly startsAtMs: number;
}

interface OpenCounter extends Counter {
  inAdvance: number;
  used: number;
  limit: number | undefined;
}

type Counted = Pick<AdmissionContext, 'serviceId' | 'at'>;
type CountedFacts = Pick<EmailFacts, 'counts' | 'counts_on_shared_sender'>;
type CountedRequest = AdmissionContext & { readonly facts: CountedFacts };

const nameOf = ({ serviceId, period, startsAtMs }: Counter) => `${serviceId} ${period} ${startsAtMs}`;
const minuteCounter = ({ serviceId, at }: Counted): Counter => ({
  serviceId,
  period: 'minute',
  startsAtMs: minuteStart(at),
});
const dayCounter = ({ serviceId, at }: Counted): Counter => ({ serviceId, period: 'day', startsAtMs: dayStart(at) });
const sharedCounter = (counted: Counted): Counter => ({ ...dayCounter(counted), period: 'shared_day' });

/**
 * The counters of a batch of requests. Their rows stay locked until the transaction ends, so that replicas count one batch
 * after the other. All requests are counted in advance; `settle` subtracts the refused ones.
 */
export class UsageCounters {
  readonly #counters = new Map<string, OpenCounter>();

  /** Counters before anything is written. */
  static of(requests: readonly CountedRequest[]): UsageCounters {
    const usage = new UsageCounters();
    for (const request of requests) {
      const { facts, perMinuteLimit, dailyLimit, sharedDailyLimit } = request;
      const [minute, day] = [usage.#open(minuteCounter(request)), usage.#open(dayCounter(request))];
      minute.inAdvance += 1;
      minute.limit = Math.min(minute.limit ?? perMinuteLimit, perMinuteLimit);
      if (facts.counts) {
        day.inAdvance += 1;
        day.limit = Math.min(day.limit ?? dailyLimit, dailyLimit);
      }
      if (!facts.counts_on_shared_sender) continue;
      const shared = usage.#open(sharedCounter(request));
      shared.inAdvance += 1;
      shared.limit = Math.min(shared.limit ?? sharedDailyLimit, sharedDailyLimit);
    }
    return usage;
  }

  /** Adds the requests to the counters, which locks their rows. */
  static async take(client: ClientBase, requests: readonly CountedRequest[]): Promise<UsageCounters> {
    const usage = UsageCounters.of(requests);
    usage.counted(await add(client, usage.#inAdvance()));
    return usage;
  }

  /** The amounts to add and the lowest limits that must hold afterwards, as columns in locking order. */
  columns(): [string[], string[], Date[], number[], (number | null)[]] {
    const ordered = inOrder(this.#inAdvance());
    return [...columnsOf(ordered), ordered.map(({ by }) => by), ordered.map(({ limit }) => limit ?? null)];
  }

  /** Sets the values that the database returned after counting. */
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

  /** The usage before a request, with earlier requests of the batch counted. */
  of(request: CountedRequest): Usage {
    const usage = usageOf(request, counter => this.#open(counter).used);
    if (!request.facts.counts_on_shared_sender) return usage;
    return { ...usage, shared: { used: this.#open(sharedCounter(request)).used, limit: request.sharedDailyLimit } };
  }

  set(request: AdmissionContext, { minuteUsed, dayUsed, shared }: Usage): void {
    this.#use(minuteCounter(request), minuteUsed);
    this.#use(dayCounter(request), dayUsed);
    if (shared) this.#use(sharedCounter(request), shared.used);
  }

  #use(counted: Counter, used: number): void {
    const counter = this.#open(counted);
    counter.inAdvance -= used - counter.used;
    counter.used = used;
  }

  /** Subtracts refused requests, which were counted in advance. */
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

/** The current usage of the service of a request; locks nothing. */
export async function readUsage(client: Pick<ClientBase, 'query'>, request: AdmissionContext): Promise<Usage> {
  const counters = [minuteCounter(request), dayCounter(request)];
  const { rows } = await client.query<{ period: Counter['period']; used: number }>({
    name: 'read-sending-usage',
    text: READ_USAGE,
    values: columnsOf(counters),
  });
  return usageOf(request, ({ period }) => rows.find(row => row.period === period)?.used ?? 0);
}

/** Subtracts messages that were not handed over from their days. */
export async function subtractFromDays(client: ClientBase, messages: readonly EmailFacts[]): Promise<void> {
  const days = new Map<string, Counter & { by: number }>();
  for (const counter of messages.flatMap(dayCounters)) {
    const known = days.get(nameOf(counter)) ?? { ...counter, by: 0 };
    known.by -= 1;
    days.set(nameOf(counter), known);
  }
  if (days.size > 0) await add(client, [...days.values()]);
}

function dayCounters({ service_id, accepted_at, counts, counts_on_shared_sender }: EmailFacts): Counter[] {
  const counted = { serviceId: service_id, at: new Date(accepted_at) };
  return [...(counts ? [dayCounter(counted)] : []), ...(counts_on_shared_sender ? [sharedCounter(counted)] : [])];
}

function usageOf(request: AdmissionContext, usedOf: (counter: Counter) => number): Usage {
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

/** All transactions lock rows in the same order, so that two of them never deadlock. */
async function add(client: ClientBase, counters: readonly (Counter & { by: number })[]): Promise<UsageRow[]> {
  const ordered = inOrder(counters);
  const { rows } = await client.query<UsageRow>({
    name: 'add-sending-usage',
    text: ADD_USAGE,
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
