import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  awaitOrder,
  cancelOrder,
  putDocument,
  type ReplyOf,
  type RequestContract,
  type RequestInput,
  type RuntimeOrder,
  startOrder,
} from '@postern/contracts';
import { type RequestClient, ServiceUnavailable } from '@postern/messaging';
import { BuildFailed, RollFailed, RuntimeUnavailable, SourceUnavailable } from '@postern/runtime';

export interface RuntimeAgentTimes {
  /** Maximum time that one request waits for the end of an order. */
  readonly waitMs: number;
  /** Delay between attempts while the agent does not respond. */
  readonly retryMs: number;
  /** Maximum wait for the end of an aborted order while the agent does not respond. */
  readonly abortedMs: number;
  /** Delay before an order that another client cancelled is started again. */
  readonly preemptedRetryMs: number;
}

export const RUNTIME_AGENT_TIMES: RuntimeAgentTimes = {
  waitMs: 5_000,
  retryMs: 300,
  abortedMs: 5_000,
  preemptedRetryMs: 5_000,
};

export interface OrderOptions {
  /** Cancels the order. */
  readonly signal?: AbortSignal | undefined;
  /** Documents by the digests that the order refers to. */
  readonly documents?: ReadonlyMap<string, string>;
  /** Whether the order waits for an agent that does not respond. */
  readonly waits?: boolean;
}

/** An order or document whose JSON is longer than this is sent in parts, in UTF-16 code units. */
const PART_LENGTH = 131_072;

type OrderEnd = Extract<ReplyOf<typeof awaitOrder>, { state: 'done' | 'failed' | 'cancelled' | 'unknown' }>;

const never = new AbortController().signal;

/**
 * Sends requests and orders to the runtime agent. While the agent does not respond, requests throw `RuntimeUnavailable`
 * and orders wait; an order is started again after the agent was restarted.
 */
export class RuntimeAgent {
  readonly #clientId = randomUUID();
  readonly #closing = new AbortController();

  constructor(
    private readonly requests: RequestClient,
    private readonly reportReachable: (isReachable: boolean) => void = () => undefined,
    private readonly times: RuntimeAgentTimes = RUNTIME_AGENT_TIMES,
  ) {}

  /** @throws RuntimeUnavailable while the agent does not respond. */
  async request<C extends RequestContract>(contract: C, payload: RequestInput<C>): Promise<ReplyOf<C>> {
    const reply = await this.requests.request(contract, payload).catch(error => {
      throw error instanceof ServiceUnavailable ? new RuntimeUnavailable({ cause: error }) : error;
    });
    return contract.reply.parse(reply) as ReplyOf<C>;
  }

  /** Whether the agent responds now. */
  async isReachable(): Promise<boolean> {
    const isReachable = await this.request(awaitOrder, { order_id: randomUUID(), wait_ms: 0 }).then(
      () => true,
      error => {
        if (error instanceof RuntimeUnavailable) return false;
        throw error;
      },
    );
    this.reportReachable(isReachable);
    return isReachable;
  }

  /**
   * Repeats a request until the agent responds or the signal is aborted.
   * @throws the signal's reason.
   */
  async requestWithRetry<C extends RequestContract>(
    contract: C,
    payload: RequestInput<C>,
    signal: AbortSignal,
  ): Promise<ReplyOf<C>> {
    for (;;) {
      signal.throwIfAborted();
      try {
        const reply = await this.request(contract, payload);
        this.reportReachable(true);
        return reply;
      } catch (error) {
        if (!(error instanceof RuntimeUnavailable)) throw error;
        this.reportReachable(false);
        await pause(this.times.retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /**
   * Executes an order on the agent and returns its result.
   * @throws the port's errors; the signal's reason once an aborted order has ended; RuntimeUnavailable if the agent does
   * not respond at the start and `waits` is false.
   */
  async execute(order: RuntimeOrder, options: OrderOptions = {}): Promise<unknown> {
    const { signal = never, documents = new Map(), waits = false } = options;
    let orderId = randomUUID();
    const attempt = AbortSignal.any([signal, this.#closing.signal]);
    for (let first = true; ; first = false) {
      attempt.throwIfAborted();
      try {
        await this.#start(orderId, order, documents, first && !waits ? undefined : attempt);
      } catch (error) {
        // The agent may have started the order although the request failed.
        if (signal.aborted) await this.#cancelled(orderId);
        throw error;
      }
      const end = await this.#end(orderId, signal);
      if (end.state === 'done') return end.result;
      signal.throwIfAborted();
      if (end.state === 'failed') throw failureOf(end.failure);
      const restMs = end.state === 'cancelled' ? this.times.preemptedRetryMs : this.times.retryMs;
      // The agent stores the result of a cancelled order and would return it for the same id.
      if (end.state === 'cancelled') orderId = randomUUID();
      await pause(restMs, undefined, { signal: attempt }).catch(() => undefined);
    }
  }

  /** Aborts every wait at shutdown. */
  close(): void {
    this.#closing.abort(new Error('the process is ending'));
  }

  async #start(
    orderId: string,
    order: RuntimeOrder,
    documents: ReadonlyMap<string, string>,
    waiting: AbortSignal | undefined,
  ): Promise<void> {
    const json = JSON.stringify(order);
    const whole = json.length > PART_LENGTH ? new Map([...documents, [digestOf(json), json]]) : documents;
    const given = json.length > PART_LENGTH ? { kind: 'document' as const, digest: digestOf(json) } : order;
    for (;;) {
      const request = { order_id: orderId, client_id: this.#clientId, order: given };
      const { missing } = await this.#send(startOrder, request, waiting);
      if (missing.length === 0) return;
      for (const digest of missing) {
        const text = whole.get(digest);
        if (text === undefined) throw new Error(`the order refers to an unknown document: ${digest}`);
        await this.#sendDocument(digest, text, waiting);
      }
    }
  }

  #send<C extends RequestContract>(contract: C, payload: RequestInput<C>, waiting: AbortSignal | undefined) {
    return waiting ? this.requestWithRetry(contract, payload, waiting) : this.request(contract, payload);
  }

  async #sendDocument(digest: string, text: string, waiting: AbortSignal | undefined): Promise<void> {
    const parts = Math.max(1, Math.ceil(text.length / PART_LENGTH));
    for (let part = 0; part < parts; part += 1) {
      const piece = text.slice(part * PART_LENGTH, (part + 1) * PART_LENGTH);
      await this.#send(putDocument, { digest, part, parts, text: piece }, waiting);
    }
  }

  /** Waits for the end of an order, and cancels the order when the signal is aborted. */
  async #end(orderId: string, signal: AbortSignal): Promise<OrderEnd> {
    const aborted = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => aborted.resolve(), { once: true });
    for (;;) {
      if (signal.aborted) return this.#cancelled(orderId);
      this.#closing.signal.throwIfAborted();
      const both = AbortSignal.any([signal, this.#closing.signal]);
      const pending = this.requestWithRetry(awaitOrder, { order_id: orderId, wait_ms: this.times.waitMs }, both);
      pending.catch(() => undefined);
      const answer = await Promise.race([pending, aborted.promise]).catch(error => {
        if (!signal.aborted) throw error;
      });
      if (answer && answer.state !== 'running') return answer;
    }
  }

  /** Cancels the order and waits until it has ended, at most `abortedMs` while the agent does not respond. */
  async #cancelled(orderId: string): Promise<OrderEnd> {
    for (;;) {
      const timeout = AbortSignal.any([AbortSignal.timeout(this.times.abortedMs), this.#closing.signal]);
      try {
        await this.requestWithRetry(cancelOrder, { order_id: orderId, client_id: this.#clientId }, timeout);
        const answer = await this.request(awaitOrder, { order_id: orderId, wait_ms: this.times.waitMs });
        if (answer.state !== 'running') return answer;
      } catch (error) {
        if (timeout.aborted) return { state: 'unknown' };
        if (!(error instanceof RuntimeUnavailable)) throw error;
      }
    }
  }
}

/** SHA-256 of a document; orders refer to documents by digest. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const failureOf = ({ kind, message, description }: Extract<OrderEnd, { state: 'failed' }>['failure']): Error => {
  switch (kind) {
    case 'source_unavailable':
      return new SourceUnavailable(message);
    case 'build_failed':
      return new BuildFailed(message, description);
    case 'roll_failed':
      return new RollFailed(message);
    case 'error':
      return new Error(message);
  }
};
