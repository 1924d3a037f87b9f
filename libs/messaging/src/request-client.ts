import { randomUUID } from 'node:crypto';
import type { Msg, Subscription } from '@nats-io/transport-node';
import { Refusal, type ReplyOf, type RequestContract, type RequestInput } from '@postern/contracts';
import type { Subscription as RxSubscription } from 'rxjs';
import type { LinkStatus, NatsLink } from './connection.js';
import { currentContext, type RequestContext } from './context.js';
import { PayloadTooLarge, RemoteFault, ServiceUnavailable } from './faults.js';
import {
  decodeFrames,
  encodeRequestFrame,
  FRAME_VERSION,
  LONGEST_WAIT_MS,
  type ReceivedJson,
  type ReplyFrame,
  type RequestFrame,
  type RequestKey,
  readReplyFrame,
} from './frames.js';
import { guarded } from './guard.js';
import { MalformedReport } from './malformed.js';
import { type PendingRequest, PendingRequests } from './pending-requests.js';
import { RepeatedWarning } from './repeated-warning.js';
import { type Batch, TickBatches } from './tick-batches.js';
import { startSpan } from './tracing.js';

export interface RequestOptions extends Partial<RequestContext> {
  /** Overrides the contract's deadline. */
  readonly deadlineMs?: number | undefined;
  /** A further deadline in milliseconds since the epoch; the earlier one applies. */
  readonly deadlineAt?: number | undefined;
  /** Makes a repetition of the command safe, if the service has a database. */
  readonly key?: RequestKey | undefined;
  /** The JSON of fields of the request, if they arrived as JSON; it must mean what the fields hold. */
  readonly received?: ReceivedJson | undefined;
  /** Called if the reply is the answer to an earlier request with the same key. */
  readonly onReplayed?: (() => void) | undefined;
}

/** How long a request waits for a reconnection before it fails. */
const GRACE_MS = 500;
/** With so many pending requests, more are sent together. */
const MANY_PENDING = 16;
/** A service whose clock differs by more than this expires requests too early. */
const CLOCKS_MAY_DIFFER_MS = 250;

/**
 * Sends requests to other services. A request always ends: with its reply, with the `Refusal` of the other service,
 * or, at its deadline at the latest, with `ServiceUnavailable`. `RemoteFault` and `PayloadTooLarge` are bugs.
 * Missing parts of the context come from `currentContext()`. Decision 59 compares it with @nats-io/services.
 */
export class RequestClient {
  readonly #pending = new PendingRequests();
  /** Inboxes by replying service, so that NATS can refuse replies of other services. */
  readonly #inboxes = new Map<string, string>();
  readonly #replies: Subscription[] = [];
  readonly #batches: TickBatches<string>;
  readonly #confirmations: TickBatches<number>;
  readonly #malformed: MalformedReport;
  readonly #clocks: RepeatedWarning;
  readonly #expire: (id: string) => void;
  readonly #unwatch: RxSubscription;
  #requestCount = 0;
  #batchesSent = 0;
  #held: { subject: string; id: string; frame: Buffer }[] = [];
  #disconnectTimer: NodeJS.Timeout | undefined;
  #isDisconnected = false;

  constructor(private readonly link: NatsLink) {
    const { log } = link;
    this.#malformed = new MalformedReport(log);
    this.#clocks = new RepeatedWarning(log);
    this.#expire = guarded(log, 'request deadline', (id: string) => this.#onDeadline(id));
    const maxPayload = () => link.maxPayload;
    this.#batches = new TickBatches(
      maxPayload,
      log,
      'requests',
      (subject, batch) => this.#send(subject, batch),
      () => this.#pending.size >= MANY_PENDING,
    );
    this.#confirmations = new TickBatches(maxPayload, log, 'reply confirmations', (subject, { data }) => {
      if (link.connected) link.nc.publish(subject, data);
    });
    const onStatus = guarded(log, 'connection status', (status: LinkStatus) => this.#onStatus(status));
    this.#unwatch = link.status.subscribe(onStatus);
    const onForbidden = guarded(log, 'forbidden requests', (subject: string) => this.#onForbidden(subject));
    this.#unwatch.add(link.forbidden.subscribe(onForbidden));
  }

  request<C extends RequestContract>(
    contract: C,
    payload: RequestInput<C>,
    options: RequestOptions = {},
  ): Promise<ReplyOf<C>> {
    const { subject } = contract;
    if (this.link.closed) return Promise.reject(new ServiceUnavailable(subject, 'closed', false));
    if (this.#isDisconnected) return Promise.reject(new ServiceUnavailable(subject, 'disconnected', false));
    const deadlineMs = waitOf(contract, options);
    if (!(deadlineMs > 0)) return Promise.reject(new ServiceUnavailable(subject, 'expired', false));
    const outer = currentContext();
    const traceparent = options.traceparent ?? outer?.traceparent;
    const span = startSpan(`${contract.service}/${contract.name}`, traceparent, {
      kind: 'client',
      attributes: { 'rpc.system': 'nats', 'rpc.service': contract.service, 'rpc.method': contract.name },
    });
    const id = (this.#requestCount++).toString(36);
    const frame: RequestFrame = {
      v: FRAME_VERSION,
      i: id,
      w: deadlineMs,
      d: Date.now() + deadlineMs,
      c: {
        correlationId: options.correlationId ?? outer?.correlationId ?? randomUUID(),
        causationId: options.causationId ?? outer?.causationId,
        traceparent: span?.traceparent ?? traceparent,
        actor: options.actor ?? outer?.actor,
      },
      p: payload,
      k: options.key,
    };
    return new Promise<ReplyOf<C>>((resolve, reject) => {
      const encoded = encodeRequestFrame(frame, options.received);
      const timer = setTimeout(this.#expire, deadlineMs, id);
      this.#pending.add(id, {
        subject,
        service: contract.service,
        timer,
        expiresAt: performance.now() + deadlineMs,
        batch: undefined,
        onReplayed: options.onReplayed,
        resolve: reply => {
          span?.end();
          resolve(reply as ReplyOf<C>);
        },
        reject: error => {
          span?.end(error instanceof Refusal ? undefined : error);
          reject(error);
        },
      });
      this.#enqueue(subject, id, encoded);
    });
  }

  /** Fails pending requests and unsubscribes; the connection stays open. */
  close(): void {
    this.#unwatch.unsubscribe();
    clearTimeout(this.#disconnectTimer);
    this.#confirmations.flush();
    for (const replies of this.#replies) if (!replies.isClosed()) replies.unsubscribe();
    this.#pending.failAll('closed');
  }

  #enqueue(subject: string, id: string, frame: Buffer): void {
    // A disconnected client would send the request on reconnection, long after its caller gave up.
    if (!this.link.connected) {
      this.#held.push({ subject, id, frame });
      return;
    }
    const tooLarge = this.#batches.add(subject, id, frame);
    if (tooLarge) this.#pending.take(id)?.reject(new PayloadTooLarge(subject, tooLarge, this.link.maxPayload));
  }

  #send(subject: string, batch: Batch<string>): void {
    const waiting = batch.items.filter(id => this.#pending.has(id));
    if (waiting.length === 0) return;
    if (!this.link.connected) {
      for (const id of waiting) {
        this.#pending.take(id)?.reject(new ServiceUnavailable(subject, 'disconnected', false));
      }
      return;
    }
    const number = this.#batchesSent++;
    const { service } = this.#pending.get(waiting[0]!)!;
    for (const id of waiting) this.#pending.get(id)!.batch = number;
    try {
      // The last token identifies the batch, so that "no responders" fails exactly its requests.
      this.link.nc.publish(subject, batch.data, { reply: `${this.#inboxFor(service)}.${number}` });
    } catch (error) {
      this.#pending.failBatch(number, () => new ServiceUnavailable(subject, 'disconnected', false));
      throw error;
    }
  }

  /** The inbox for replies of a service, subscribed before the first request is sent. */
  #inboxFor(service: string): string {
    const known = this.#inboxes.get(service);
    if (known !== undefined) return known;
    const inbox = this.link.newInbox(service);
    this.#inboxes.set(service, inbox);
    this.#replies.push(
      this.link.subscribe(`${inbox}.*`, message => this.#onReplies(message), { where: `replies of ${service}` }),
    );
    return inbox;
  }

  #onReplies(message: Msg): void {
    const number = Number(message.subject.slice(message.subject.lastIndexOf('.') + 1));
    if (message.headers?.code === 503) {
      this.#pending.failBatch(number, subject => new ServiceUnavailable(subject, 'no_responders', false));
      return;
    }
    const frames = decodeFrames(message.data);
    if (typeof frames === 'string') {
      this.#malformed.note('replies', frames);
      return;
    }
    for (const raw of frames) {
      const frame = readReplyFrame(raw);
      if ('malformed' in frame) {
        this.#malformed.note('replies', frame.malformed);
        const pending = frame.id === undefined ? undefined : this.#pending.take(frame.id);
        pending?.reject(new RemoteFault(pending.subject, `the reply cannot be read: ${frame.malformed}`));
      } else if (frame.i === '' && 'fault' in frame) {
        this.#pending.failBatch(number, subject => new RemoteFault(subject, frame.fault, false));
      } else {
        const pending = this.#pending.take(frame.i);
        if (pending) this.#settle(pending, frame);
        if (pending && frame.a && message.reply)
          this.#confirmations.add(message.reply, frame.a, Buffer.from(String(frame.a)));
      }
    }
  }

  #settle(pending: PendingRequest, frame: ReplyFrame): void {
    const { subject } = pending;
    if (frame.replayed === true) pending.onReplayed?.();
    const maybeExecuted = !('executed' in frame && frame.executed === false);
    if ('refusal' in frame) {
      const { code, message, details, status } = frame.refusal;
      pending.reject(new Refusal(code, message, details, status));
    } else if ('unavailable' in frame) {
      const { retryAfterS } = frame.unavailable;
      pending.reject(new ServiceUnavailable(subject, 'unavailable', maybeExecuted, retryAfterS));
    } else if ('fault' in frame) pending.reject(new RemoteFault(subject, frame.fault, maybeExecuted));
    else if ('expired' in frame) this.#settleExpired(pending);
    else if ('busy' in frame) pending.reject(new ServiceUnavailable(subject, 'busy', false));
    else pending.resolve(frame.ok);
  }

  #settleExpired({ subject, expiresAt, reject }: PendingRequest): void {
    const leftMs = Math.round(expiresAt - performance.now());
    if (leftMs > CLOCKS_MAY_DIFFER_MS) {
      this.#clocks.warn(
        subject,
        { subject, leftMs },
        'A service expired a request too early: synchronise its clock and the clock of this machine',
      );
    }
    reject(new ServiceUnavailable(subject, 'expired', false));
  }

  /** NATS reports only the subject of a refused message, so this fails all pending requests on that subject. */
  #onForbidden(forbidden: string): void {
    const why = 'NATS does not permit this user to send the request';
    this.#pending.failSubject(forbidden, subject => new RemoteFault(subject, why));
  }

  #onDeadline(id: string): void {
    const pending = this.#pending.take(id);
    pending?.reject(new ServiceUnavailable(pending.subject, 'timeout', pending.batch !== undefined));
  }

  #onStatus(status: LinkStatus): void {
    if (status === 'connected') this.#onConnected();
    else if (status === 'disconnected') this.#onDisconnected();
    else this.#pending.failAll('closed');
  }

  #onConnected(): void {
    clearTimeout(this.#disconnectTimer);
    this.#isDisconnected = false;
    const held = this.#held;
    this.#held = [];
    for (const { subject, id, frame } of held) if (this.#pending.has(id)) this.#enqueue(subject, id, frame);
  }

  #onDisconnected(): void {
    clearTimeout(this.#disconnectTimer);
    const giveUp = guarded(this.link.log, 'disconnection', () => {
      this.#isDisconnected = true;
      this.#held = [];
      this.#pending.failAll('disconnected');
    });
    this.#disconnectTimer = setTimeout(giveUp, GRACE_MS);
    this.#disconnectTimer.unref();
  }
}

const waitOf = (contract: RequestContract, { deadlineMs, deadlineAt }: RequestOptions): number => {
  const waitMs = Math.min(deadlineMs ?? contract.deadlineMs, LONGEST_WAIT_MS);
  return deadlineAt === undefined ? waitMs : Math.min(waitMs, deadlineAt - Date.now());
};
