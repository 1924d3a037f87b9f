import type { RuntimeOrder } from '@postern/contracts';
import { BuildFailed, type CommitDescription, OrderInterrupted, RollFailed, SourceUnavailable } from '@postern/runtime';

/** Carries out one order; resolves with its result. */
export type ExecuteOrder = (order: RuntimeOrder, signal: AbortSignal) => Promise<unknown>;

export type OrderEnd =
  | { readonly state: 'done'; readonly result: unknown }
  | { readonly state: 'failed'; readonly failure: OrderFailure }
  | { readonly state: 'cancelled' };

export type OrderState = OrderEnd | { readonly state: 'running' } | { readonly state: 'unknown' };

interface OrderFailure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly description?: CommitDescription;
}

type FailureKind = 'source_unavailable' | 'build_failed' | 'roll_failed' | 'error';

interface Work {
  readonly order: RuntimeOrder;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  clientId: string;
  end: OrderEnd | undefined;
  lastRequestAt: number;
}

export interface OrderTimes {
  /** An order is cancelled after this time without a request about it. */
  readonly leaseMs: number;
  /** How long the result of an order is kept for repeated requests. */
  readonly keptMs: number;
}

export const ORDER_TIMES: OrderTimes = { leaseMs: 30_000, keptMs: 5 * 60_000 };

/** The reason of an aborted order. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** The running orders, and the results of those that have ended, by id; kept in memory only. */
export class OrderRegistry {
  readonly #orders = new Map<string, Work>();
  readonly #running = new Set<Work>();
  #stopping = false;

  constructor(
    private readonly execute: ExecuteOrder,
    private readonly onError: (error: unknown, order: RuntimeOrder) => void,
    private readonly times: OrderTimes = ORDER_TIMES,
  ) {}

  /**
   * Starts the order. Attaches to it if the id is known or an equal order of another client is in progress. Orders
   * with the same concurrency key run one after the other; a later order cancels the earlier ones that it replaces.
   */
  start(orderId: string, clientId: string, order: RuntimeOrder): void {
    const known = this.#orders.get(orderId);
    if (known) {
      known.lastRequestAt = performance.now();
      return;
    }
    if (this.#stopping) return;
    const key = concurrencyKeyOf(order);
    const before = [...this.#running].filter(work => key !== undefined && concurrencyKeyOf(work.order) === key);
    const same = before.find(work => !work.abort.signal.aborted && isEqual(work.order, order));
    if (same && same.clientId !== clientId) {
      same.clientId = clientId;
      same.lastRequestAt = performance.now();
      this.#orders.set(orderId, same);
      return;
    }
    for (const work of before)
      if (replaces(order, work.order)) work.abort.abort(new Cancelled('a newer order takes its place'));
    if (order.kind === 'reconcile') before.push(...this.#endOthers(clientId, new Set(order.rolling)));
    this.#orders.set(orderId, this.#work(clientId, order, Promise.all(before.map(({ ended }) => ended))));
  }

  /** Resolves when the order has ended, or after `waitMs`. */
  async wait(orderId: string, waitMs: number): Promise<OrderState> {
    const work = this.#orders.get(orderId);
    if (!work) return { state: 'unknown' };
    work.lastRequestAt = performance.now();
    if (!work.end) await within(waitMs, work.ended);
    work.lastRequestAt = performance.now();
    // `unknown` makes the client repeat an unfinished order with the next process.
    if (this.#stopping && work.end?.state !== 'done') return { state: 'unknown' };
    return work.end ?? { state: 'running' };
  }

  cancel(orderId: string, clientId: string): void {
    const work = this.#orders.get(orderId);
    if (work?.clientId === clientId) work.abort.abort(new Cancelled('the order was cancelled'));
  }

  /** Cancels orders without recent requests, and deletes old results. */
  expire(): void {
    const now = performance.now();
    for (const [orderId, work] of this.#orders) {
      const silentMs = now - work.lastRequestAt;
      if (work.end && silentMs > this.times.keptMs) this.#orders.delete(orderId);
      else if (!work.end && silentMs > this.times.leaseMs && isCancellable(work.order)) {
        work.abort.abort(new OrderInterrupted('platform-management no longer asks for the status of the order'));
        // The next request of the client gets `unknown` and starts the order again.
        this.#orders.delete(orderId);
      }
    }
  }

  /** Cancels all orders and accepts no new ones; resolves when none is running. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const works = [...this.#running];
    for (const work of works) work.abort.abort(new OrderInterrupted('the agent is stopping'));
    await Promise.all(works.map(({ ended }) => ended));
  }

  #work(clientId: string, order: RuntimeOrder, before: Promise<unknown>): Work {
    const abort = new AbortController();
    const run = async (): Promise<OrderEnd> => {
      await before;
      if (abort.signal.aborted) return { state: 'cancelled' };
      try {
        return { state: 'done', result: (await this.execute(order, abort.signal)) ?? null };
      } catch (error) {
        if (abort.signal.aborted) return { state: 'cancelled' };
        const failure = failureOf(error);
        if (failure.kind === 'error') this.onError(error, order);
        return { state: 'failed', failure };
      }
    };
    const ended = run().then(end => {
      work.end = end;
      this.#running.delete(work);
    });
    const work: Work = { order, abort, ended, clientId, end: undefined, lastRequestAt: performance.now() };
    this.#running.add(work);
    return work;
  }

  /** Orders of an earlier control plane process must have ended before the runtime is reconciled. */
  #endOthers(clientId: string, rolling: ReadonlySet<string>): Work[] {
    const others = [...this.#running].filter(
      ({ order, clientId: owner }) =>
        owner !== clientId && isOfReconciler(order) && !(order.kind === 'roll_out' && isRolling(order, rolling)),
    );
    for (const work of others) work.abort.abort(new Cancelled('another process of the control plane is the leader'));
    return others;
  }
}

const isRolling = ({ plan }: Extract<RuntimeOrder, { kind: 'roll_out' }>, rolling: ReadonlySet<string>): boolean =>
  rolling.has(plan.roll_id) || rolling.has(plan.web_service_id);

/** Orders of the one process that manages web services; orders for databases may come from other processes. */
const isOfReconciler = ({ kind }: RuntimeOrder): boolean =>
  ['resolve_source', 'build', 'roll_out', 'stop'].includes(kind);

/** Stops and cleanups are not cancelled: they end by themselves, and an interrupted one would have to be repeated. */
const isCancellable = ({ kind }: RuntimeOrder): boolean =>
  [
    'resolve_source',
    'build',
    'roll_out',
    'back_up_database',
    'restore_database',
    'back_up_disk',
    'restore_disk',
  ].includes(kind);

/** Whether a later order replaces an earlier one of the same concurrency key. Checks of a database wait for its restore instead. */
const replaces = (later: RuntimeOrder, earlier: RuntimeOrder): boolean =>
  earlier.kind !== 'restore_database' || !['ensure_database', 'enforce_database_storage'].includes(later.kind);

/** Orders with the same key never run concurrently. */
const concurrencyKeyOf = (order: RuntimeOrder): string | undefined => {
  switch (order.kind) {
    case 'resolve_source':
      return undefined;
    case 'build':
      return `build ${order.deployment_id}`;
    case 'run_command':
      return `run ${order.run.run_id}`;
    case 'roll_out':
      return `service ${order.plan.web_service_id}`;
    case 'stop':
      return `service ${order.web_service_id}`;
    case 'reconcile':
    case 'retain_artefacts':
    case 'retain_databases':
      return order.kind;
    case 'ensure_database':
    case 'remove_database':
    case 'enforce_database_storage':
    case 'restore_database':
      return `database ${order.database_id}`;
    case 'back_up_database':
      return `backup of database ${order.database_id}`;
    case 'back_up_disk':
      return `backup of disk ${order.web_service_id}`;
    case 'restore_disk':
      return `restore of disk ${order.web_service_id}`;
    case 'retain_disk_backups':
      return `backups of disk ${order.web_service_id}`;
    case 'retain_database_backups':
      return `backups of database ${order.database_id}`;
  }
};

/** Equal except for the remaining time. */
const isEqual = (one: RuntimeOrder, other: RuntimeOrder): boolean => identity(one) === identity(other);

const identity = (order: RuntimeOrder): string =>
  JSON.stringify(order, (key, value) => (key === 'deadline_ms' ? undefined : value));

const failureOf = (error: unknown): OrderFailure => ({
  kind: failureKind(error),
  message: error instanceof Error ? error.message : String(error),
  ...(error instanceof BuildFailed && error.description && { description: error.description }),
});

const failureKind = (error: unknown): FailureKind => {
  if (error instanceof SourceUnavailable) return 'source_unavailable';
  if (error instanceof BuildFailed) return 'build_failed';
  return error instanceof RollFailed ? 'roll_failed' : 'error';
};

const within = async (limitMs: number, ended: Promise<void>): Promise<void> => {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  await Promise.race([ended, late]);
  clearTimeout(timer);
};
