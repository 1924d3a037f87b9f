import { randomUUID } from 'node:crypto';
import { createInbox, type Msg, type Subscription } from '@nats-io/transport-node';
import { Refusal, type ReplyOf, type RequestContract, type RequestInput } from '@postern/contracts';
import type { NatsLink } from './connection.js';
import { currentContext, type RequestContext } from './context.js';
import { PayloadTooLarge, RemoteFault, ServiceUnavailable } from './faults.js';
import { decodeFrames, type ReplyFrame, type RequestFrame } from './frames.js';
import { type Batch, TickBatches } from './tick-batches.js';
import { startSpan } from './tracing.js';

export interface AskOptions extends Partial<RequestContext> {
  /** Instead of the contract's own deadline. */
  readonly deadlineMs?: number | undefined;
}

interface Pending {
  readonly subject: string;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  /** Number of the message it went out with; undefined while it has not left the process. */
  batch: number | undefined;
}

/** How long a request waits for a lost connection to come back before it fails. */
const GRACE_MS = 500;

/**
 * Asks other services. A request always ends: with its reply, with the `Refusal` of the other side, or, no later than
 * its deadline, with `ServiceUnavailable`; `RemoteFault` and `PayloadTooLarge` are bugs of one side or the other.
 * Missing parts of the context come from `currentContext()`.
 */
export class RequestClient {
  readonly #pending = new Map<string, Pending>();
  readonly #inbox = createInbox();
  readonly #replies: Subscription;
  readonly #batches: TickBatches<string>;
  readonly #unwatch: { unsubscribe(): void };
  #asked = 0;
  #batchesSent = 0;
  #held: { subject: string; id: string; json: string }[] = [];
  #awayTimer: NodeJS.Timeout | undefined;
  #away = false;

  constructor(private readonly link: NatsLink) {
    this.#replies = link.nc.subscribe(`${this.#inbox}.*`, { callback: (_error, message) => this.#onReplies(message) });
    this.#batches = new TickBatches(
      () => link.maxPayload,
      (subject, batch) => this.#send(subject, batch),
    );
    this.#unwatch = link.status.subscribe(status => {
      if (status === 'connected') this.#onConnected();
      else if (status === 'disconnected') this.#onDisconnected();
      else this.#failAll('closed');
    });
  }

  request<C extends RequestContract>(
    contract: C,
    payload: RequestInput<C>,
    options: AskOptions = {},
  ): Promise<ReplyOf<C>> {
    const { subject } = contract;
    if (this.link.closed) return Promise.reject(new ServiceUnavailable(subject, 'closed', false));
    if (this.#away) return Promise.reject(new ServiceUnavailable(subject, 'disconnected', false));
    const outer = currentContext();
    const traceparent = options.traceparent ?? outer?.traceparent;
    const span = startSpan(`${contract.service}/${contract.name}`, traceparent, {
      kind: 'client',
      attributes: { 'rpc.system': 'nats', 'rpc.service': contract.service, 'rpc.method': contract.name },
    });
    const deadlineMs = options.deadlineMs ?? contract.deadlineMs;
    const id = (this.#asked++).toString(36);
    const frame: RequestFrame = {
      i: id,
      w: deadlineMs,
      c: {
        correlationId: options.correlationId ?? outer?.correlationId ?? randomUUID(),
        causationId: options.causationId ?? outer?.causationId,
        traceparent: span?.traceparent ?? traceparent,
        actor: options.actor ?? outer?.actor,
      },
      p: payload,
    };
    return new Promise<ReplyOf<C>>((resolve, reject) => {
      const timer = setTimeout(() => {
        const pending = this.#take(id);
        pending?.reject(new ServiceUnavailable(subject, 'timeout', pending.batch !== undefined));
      }, deadlineMs);
      this.#pending.set(id, {
        subject,
        timer,
        batch: undefined,
        resolve: reply => {
          span?.end();
          resolve(reply as ReplyOf<C>);
        },
        reject: error => {
          span?.end(error instanceof Refusal ? undefined : error);
          reject(error);
        },
      });
      this.#enqueue(subject, id, JSON.stringify(frame));
    });
  }

  /** Fails what is still unanswered and stops listening; the connection stays with its owner. */
  close(): void {
    this.#unwatch.unsubscribe();
    clearTimeout(this.#awayTimer);
    if (!this.#replies.isClosed()) this.#replies.unsubscribe();
    this.#failAll('closed');
  }

  #enqueue(subject: string, id: string, json: string): void {
    // Anything given to a disconnected client would be sent on reconnection, long after its asker has gone.
    if (!this.link.connected) {
      this.#held.push({ subject, id, json });
      return;
    }
    const tooLarge = this.#batches.add(subject, id, json);
    if (tooLarge) this.#take(id)?.reject(new PayloadTooLarge(subject, tooLarge, this.link.maxPayload));
  }

  #send(subject: string, batch: Batch<string>): void {
    const waiting = batch.items.filter(id => this.#pending.has(id));
    if (waiting.length === 0) return;
    if (!this.link.connected) {
      for (const id of waiting) {
        this.#take(id)?.reject(new ServiceUnavailable(subject, 'disconnected', false));
      }
      return;
    }
    const number = this.#batchesSent++;
    for (const id of waiting) this.#pending.get(id)!.batch = number;
    // The last token names the batch, so that "no responders" reaches exactly its requests.
    this.link.nc.publish(subject, batch.data, { reply: `${this.#inbox}.${number}` });
  }

  #onReplies(message: Msg): void {
    if (message.headers?.code === 503) {
      const number = Number(message.subject.slice(this.#inbox.length + 1));
      for (const [id, { batch, subject }] of this.#pending) {
        if (batch === number) this.#take(id)?.reject(new ServiceUnavailable(subject, 'no_responders', false));
      }
      return;
    }
    for (const frame of decodeFrames<ReplyFrame>(message.data)) {
      const pending = this.#take(frame.i);
      if (!pending) continue;
      if ('refusal' in frame) {
        pending.reject(new Refusal(frame.refusal.code, frame.refusal.message, frame.refusal.details));
      } else if ('fault' in frame) pending.reject(new RemoteFault(pending.subject, frame.fault));
      else if ('busy' in frame) pending.reject(new ServiceUnavailable(pending.subject, 'busy', false));
      else pending.resolve(frame.ok);
    }
  }

  #onConnected(): void {
    clearTimeout(this.#awayTimer);
    this.#away = false;
    const held = this.#held;
    this.#held = [];
    for (const { subject, id, json } of held) if (this.#pending.has(id)) this.#enqueue(subject, id, json);
  }

  #onDisconnected(): void {
    clearTimeout(this.#awayTimer);
    this.#awayTimer = setTimeout(() => {
      this.#away = true;
      this.#held = [];
      this.#failAll('disconnected');
    }, GRACE_MS);
    this.#awayTimer.unref();
  }

  #failAll(reason: 'disconnected' | 'closed'): void {
    for (const id of [...this.#pending.keys()]) {
      const pending = this.#take(id);
      pending?.reject(new ServiceUnavailable(pending.subject, reason, pending.batch !== undefined));
    }
  }

  #take(id: string): Pending | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    return pending;
  }
}
