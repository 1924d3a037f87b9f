import type { RuntimeOrder } from '@postern/contracts';
import { BuildFailed, OrderInterrupted, RollFailed, SourceUnavailable } from '@postern/runtime';

/** Carries out one order; resolves with its result. */
export type CarryOut = (order: RuntimeOrder, signal: AbortSignal) => Promise<unknown>;

export type OrderEnd =
  | { readonly state: 'done'; readonly result: unknown }
  | { readonly state: 'failed'; readonly failure: { readonly kind: FailureKind; readonly message: string } }
  | { readonly state: 'cancelled' };

export type OrderState = OrderEnd | { readonly state: 'running' } | { readonly state: 'unknown' };

type FailureKind = 'source_unavailable' | 'build_failed' | 'roll_failed' | 'error';

interface Work {
  readonly order: RuntimeOrder;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  clientId: string;
  end: OrderEnd | undefined;
  askedAt: number;
}

export interface OrderTimes {
  /** An order that nobody asks about for so long is cancelled. */
  readonly leaseMs: number;
  /** How long the end of an order is kept for repeated requests. */
  readonly keptMs: number;
}

export const ORDER_TIMES: OrderTimes = { leaseMs: 30_000, keptMs: 5 * 60_000 };

/** Why an order's signal is aborted. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** The orders that are being carried out, and the ends of those that were, by id. Nothing of it outlives the process. */
export class OrderRegistry {
  readonly #orders = new Map<string, Work>();
  readonly #running = new Set<Work>();
  #stopping = false;

  constructor(
    private readonly carryOut: CarryOut,
    private readonly onError: (error: unknown, order: RuntimeOrder) => void,
    private readonly times: OrderTimes = ORDER_TIMES,
  ) {}

  /**
   * Starts the order, or attaches to it where the id is known or an equal one of another client is under way. Orders for
   * the same thing follow each other; a later one cancels those that it makes pointless.
   */
  start(orderId: string, clientId: string, order: RuntimeOrder): void {
    const known = this.#orders.get(orderId);
    if (known) {
      known.askedAt = performance.now();
      return;
    }
    if (this.#stopping) return;
    const concern = concernOf(order);
    const before = [...this.#running].filter(work => concern !== undefined && concernOf(work.order) === concern);
    const same = before.find(work => !work.abort.signal.aborted && isEqual(work.order, order));
    if (same && same.clientId !== clientId) {
      same.clientId = clientId;
      same.askedAt = performance.now();
      this.#orders.set(orderId, same);
      return;
    }
    for (const work of before)
      if (replaces(order, work.order)) work.abort.abort(new Cancelled('a newer order takes its place'));
    if (order.kind === 'reconcile') before.push(...this.#endOthers(clientId, new Set(order.rolling)));
    this.#orders.set(orderId, this.#work(clientId, order, Promise.all(before.map(({ ended }) => ended))));
  }

  /** Resolves when the order has ended, after `waitMs` at the latest. */
  async wait(orderId: string, waitMs: number): Promise<OrderState> {
    const work = this.#orders.get(orderId);
    if (!work) return { state: 'unknown' };
    work.askedAt = performance.now();
    if (!work.end) await within(waitMs, work.ended);
    work.askedAt = performance.now();
    // The client starts an order that this process could not finish again, with the next process.
    if (this.#stopping && work.end?.state !== 'done') return { state: 'unknown' };
    return work.end ?? { state: 'running' };
  }

  cancel(orderId: string, clientId: string): void {
    const work = this.#orders.get(orderId);
    if (work?.clientId === clientId) work.abort.abort(new Cancelled('the order was cancelled'));
  }

  /** Cancels orders that nobody asks about, and forgets old ends. */
  expire(): void {
    const now = performance.now();
    for (const [orderId, work] of this.#orders) {
      const silentMs = now - work.askedAt;
      if (work.end && silentMs > this.times.keptMs) this.#orders.delete(orderId);
      else if (!work.end && silentMs > this.times.leaseMs && isCancellable(work.order)) {
        work.abort.abort(new OrderInterrupted('platform-management no longer asks for the status of the order'));
        // A client that asks later finds it unknown and starts it again.
        this.#orders.delete(orderId);
      }
    }
  }

  /** Cancels everything; resolves when nothing is being carried out. No order is started any more. */
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
        return { state: 'done', result: (await this.carryOut(order, abort.signal)) ?? null };
      } catch (error) {
        if (abort.signal.aborted) return { state: 'cancelled' };
        const kind = failureKind(error);
        if (kind === 'error') this.onError(error, order);
        return { state: 'failed', failure: { kind, message: error instanceof Error ? error.message : String(error) } };
      }
    };
    const ended = run().then(end => {
      work.end = end;
      this.#running.delete(work);
    });
    const work: Work = { order, abort, ended, clientId, end: undefined, askedAt: performance.now() };
    this.#running.add(work);
    return work;
  }

  /** What an earlier process of the control plane had begun must be gone before the runtime is reconciled. */
  #endOthers(clientId: string, rolling: ReadonlySet<string>): Work[] {
    const others = [...this.#running].filter(
      ({ order, clientId: owner }) =>
        owner !== clientId && isOfReconciler(order) && !(order.kind === 'roll_out' && isRolling(order, rolling)),
    );
    for (const work of others) work.abort.abort(new Cancelled('another process of the control plane leads'));
    return others;
  }
}

const isRolling = ({ plan }: Extract<RuntimeOrder, { kind: 'roll_out' }>, rolling: ReadonlySet<string>): boolean =>
  rolling.has(plan.roll_id) || rolling.has(plan.web_service_id);

/** Orders of the one process that drives web services; those for databases may be another's. */
const isOfReconciler = ({ kind }: RuntimeOrder): boolean =>
  ['resolve_source', 'build', 'roll_out', 'stop'].includes(kind);

/** Stops and cleanups end by themselves; ended half-way they would have to be repeated. */
const isCancellable = ({ kind }: RuntimeOrder): boolean =>
  ['resolve_source', 'build', 'roll_out', 'back_up_database', 'restore_database'].includes(kind);

/** Whether a later order of the same concern makes an earlier one pointless. A restored database is checked all the same. */
const replaces = (later: RuntimeOrder, earlier: RuntimeOrder): boolean =>
  earlier.kind !== 'restore_database' || !['ensure_database', 'enforce_database_storage'].includes(later.kind);

/** Orders of the same concern never run side by side. */
const concernOf = (order: RuntimeOrder): string | undefined => {
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
    case 'retain_database_backups':
      return `backups of database ${order.database_id}`;
  }
};

/** Equal but for the time that is left. */
const isEqual = (one: RuntimeOrder, other: RuntimeOrder): boolean => identity(one) === identity(other);

const identity = (order: RuntimeOrder): string =>
  JSON.stringify(order, (key, value) => (key === 'deadline_ms' ? undefined : value));

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
