import type { Msg, Subscription } from '@nats-io/transport-node';
import { INBOXES, Refusal, type RequestContract } from '@postern/contracts';
import { z } from 'zod';
import type { NatsLink } from '../connection.js';
import { runForRequest } from '../context.js';
import { hadNoEffect, ServiceUnavailable, TemporarilyUnavailable } from '../faults.js';
import { decodeFrames, FRAME_VERSION, type ReplyBody, readRequestFrame } from '../frames.js';
import { guarded, reportCallbackError } from '../guard.js';
import { instruments } from '../instruments.js';
import type { Log } from '../log.js';
import { MalformedReport } from '../malformed.js';
import { TickBatches } from '../tick-batches.js';
import { startSpan, traceContextOf } from '../tracing.js';
import { type Answer, ArrivedRequest } from './arrived-request.js';
import type { KeyedRequests } from './keyed-requests.js';
import { keyedBody, outcomeOf, unavailableBody, withStatus } from './reply-bodies.js';
import { ReplyConfirmations } from './reply-confirmations.js';
import { RequestDelays } from './request-delays.js';

export interface IntakeOptions {
  readonly service: string;
  readonly log: Log;
  /** Maximum number of concurrent handlers; further requests are queued. */
  readonly concurrency: number;
  /** Maximum number of queued requests; further ones are answered "busy" and not executed. */
  readonly queueLimit: number;
  /** Recognises temporary errors. */
  readonly asUnavailable?: ((error: unknown) => TemporarilyUnavailable | undefined) | undefined;
  /** Answers requests with a key; without it they are handled like others. */
  readonly keyed?: KeyedRequests | undefined;
}

/** How long a shutdown waits for confirmations of the last replies. */
const LAST_CONFIRMATIONS_MS = 500;

/**
 * Receives requests from NATS, runs their handlers with limited concurrency and sends each reply as soon as it is
 * ready.
 */
export class RequestIntake {
  #subscriptions: Subscription[] = [];
  readonly #served: { readonly contract: RequestContract; readonly answer: Answer }[] = [];
  readonly #waiting: ArrivedRequest[] = [];
  readonly #replies: TickBatches<number | undefined>;
  readonly #malformed: MalformedReport;
  readonly #delays: RequestDelays;
  readonly #confirmations: ReplyConfirmations;
  #running = 0;
  #paused = false;
  #idle: (() => void) | undefined;

  constructor(
    private readonly link: NatsLink,
    private readonly options: IntakeOptions,
  ) {
    const { log } = options;
    this.#malformed = new MalformedReport(log);
    this.#delays = new RequestDelays(log);
    this.#confirmations = new ReplyConfirmations(link, log, this.#malformed);
    this.#replies = new TickBatches(
      () => link.maxPayload,
      log,
      'replies',
      (destination, { items, data }) => {
        if (link.closed) return;
        const confirmed = items.some(token => token !== undefined);
        link.nc.publish(destination, data, confirmed ? { reply: this.#confirmations.subject } : undefined);
      },
    );
  }

  serve(contract: RequestContract, answer: Answer): void {
    // Start at 0, because Prometheus does not count the first step of a counter as an increase.
    instruments().malformed.add(0, { where: contract.subject });
    instruments().callbackErrors.add(0, { where: contract.subject });
    this.#served.push({ contract, answer });
    if (!this.#paused) this.#subscribe({ contract, answer });
  }

  /** Leaves the queue groups: other replicas get the requests. Those that arrived are finished. */
  async pause(): Promise<void> {
    if (this.#paused) return;
    this.#paused = true;
    const subscriptions = this.#subscriptions;
    this.#subscriptions = [];
    if (this.link.connected) await Promise.all(subscriptions.map(subscription => subscription.drain()));
    else for (const subscription of subscriptions) subscription.unsubscribe();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    for (const served of this.#served) this.#subscribe(served);
  }

  #subscribe({ contract, answer }: { readonly contract: RequestContract; readonly answer: Answer }): void {
    const take = (message: Msg) => this.#take(contract, answer, message);
    this.#subscriptions.push(this.link.subscribe(contract.subject, take, { queue: this.options.service }));
  }

  /** Stops receiving, finishes received requests and sends their replies. The caller limits the time. */
  async drain(): Promise<void> {
    if (this.link.connected) await Promise.all(this.#subscriptions.map(subscription => subscription.drain()));
    if (this.#running + this.#waiting.length > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#idle = resolve;
      await promise;
    }
    this.#replies.flush();
    // A connection that breaks now takes the replies with it.
    if (this.link.connected) await this.link.nc.flush().catch(() => {});
    await this.#confirmations.close(LAST_CONFIRMATIONS_MS);
  }

  #take(contract: RequestContract, answer: Answer, message: Msg): void {
    const { subject } = contract;
    // A message that another client makes JetStream deliver here has another reply subject, or none.
    if (!message.reply?.startsWith(INBOXES)) {
      this.#malformed.note(subject, 'no inbox for the reply');
      return;
    }
    const frames = decodeFrames(message.data);
    if (typeof frames === 'string') {
      this.#malformed.note(subject, frames);
      this.#refuseWhole(message, frames);
      return;
    }
    const replyTo = replySubject(message.reply);
    let unreadable: string | undefined;
    for (const raw of frames) {
      const frame = readRequestFrame(raw);
      if (!('malformed' in frame)) {
        this.#queue(new ArrivedRequest(contract, answer, frame, replyTo, this.#delays.of(frame, replyTo, subject)));
        continue;
      }
      this.#malformed.note(subject, frame.malformed);
      if (frame.id === undefined) unreadable ??= frame.malformed;
      else this.#send(replyTo, frame.id, { fault: malformedRequest(frame.malformed), executed: false });
    }
    if (unreadable !== undefined) this.#refuseWhole(message, unreadable);
  }

  /** Replies at the original reply subject, because the sender may be a person with the nats command. */
  #refuseWhole(message: Msg, problem: string): void {
    if (!message.reply) return;
    const refusal = { v: FRAME_VERSION, i: '', fault: malformedRequest(problem), executed: false };
    this.link.nc.publish(message.reply, JSON.stringify([refusal]));
  }

  #queue(request: ArrivedRequest): void {
    if (request.remainingMs() <= 0) this.#expire(request);
    else if (this.#running < this.options.concurrency) this.#start(request);
    else if (this.#waiting.length < this.options.queueLimit) this.#waiting.push(request);
    else this.#conclude(request, { busy: true, executed: false });
  }

  #start(request: ArrivedRequest): void {
    this.#running += 1;
    let released = false;
    const release = guarded(this.options.log, 'request queue', () => {
      if (released) return;
      released = true;
      clearTimeout(timer);
      this.#running -= 1;
      this.#startNext();
    });
    // A handler that hangs counts as running only while its caller may wait.
    const timer = setTimeout(release, request.frame.w * 2);
    this.#run(request)
      .catch((error: unknown) => reportCallbackError(this.options.log, request.contract.subject, error))
      .then(release);
  }

  #startNext(): void {
    for (let request = this.#waiting.shift(); request; request = this.#waiting.shift()) {
      if (request.remainingMs() > 0) {
        this.#start(request);
        return;
      }
      this.#expire(request);
    }
    if (this.#running === 0) this.#idle?.();
  }

  #expire(request: ArrivedRequest): void {
    this.#conclude(request, { busy: true, expired: true, executed: false });
  }

  async #run(request: ArrivedRequest): Promise<void> {
    const { contract, frame } = request;
    const span = startSpan(`${contract.service}/${contract.name}`, frame.c.traceparent, {
      kind: 'server',
      attributes: { 'rpc.system': 'nats', 'rpc.service': contract.service, 'rpc.method': contract.name },
    });
    const context = span ? { ...frame.c, traceparent: span.traceparent } : frame.c;
    const reply = await runForRequest(context, request, () => this.#answer(request));
    span?.annotate(outcomeOf(reply));
    span?.end('fault' in reply ? outcomeOf(reply).outcome : undefined);
    this.#conclude(request, reply, context.traceparent);
  }

  async #answer({ contract, frame, answer }: ArrivedRequest): Promise<ReplyBody> {
    const { correlationId } = frame.c;
    const { subject } = contract;
    const parsed = contract.request.safeParse(frame.p);
    if (!parsed.success) {
      const fault = `the request does not fit its contract: ${describeIssue(parsed.error)}`;
      this.options.log.error({ subject, correlationId, fault }, 'Malformed request');
      return { fault, executed: false };
    }
    try {
      const { keyed } = this.options;
      if (frame.k && keyed) return keyedBody(await keyed.answer(frame.k, () => answer(parsed.data)), contract);
      return { ok: (await answer(parsed.data)) ?? null };
    } catch (error) {
      if (Refusal.is(error)) {
        return { refusal: withStatus(error, contract) };
      }
      const unavailable = this.#unavailable(error);
      if (unavailable) {
        this.options.log.warn({ err: error, subject, correlationId }, 'A request failed temporarily');
        return unavailableBody(unavailable, hadNoEffect(error), correlationId);
      }
      this.options.log.error({ err: error, subject, correlationId }, 'A request failed unexpectedly');
      const fault = `internal error, logged under correlation id ${correlationId}`;
      return hadNoEffect(error) ? { fault, executed: false } : { fault };
    }
  }

  #unavailable(error: unknown): TemporarilyUnavailable | undefined {
    if (error instanceof TemporarilyUnavailable) return error;
    // Another service did not reply; the effects of this request are unknown.
    if (error instanceof ServiceUnavailable) {
      return new TemporarilyUnavailable(error.message, { maybeExecuted: true, retryAfterS: error.retryAfterS });
    }
    return this.options.asUnavailable?.(error);
  }

  #conclude(request: ArrivedRequest, reply: ReplyBody, traceparent = request.frame.c.traceparent): void {
    const seconds = (performance.now() - request.arrivedAt) / 1_000;
    const attributes = { 'rpc.method': request.contract.name, ...outcomeOf(reply) };
    instruments().requestDuration.record(seconds, attributes, traceContextOf(traceparent));
    const { frame, replyTo } = request;
    const callbacks = request.takeCallbacks();
    const token = callbacks && this.#confirmations.expect(callbacks, request.expiresAt);
    const fault = this.#send(replyTo, frame.i, reply, token);
    if (fault === undefined) return;
    this.options.log.error({ subject: request.contract.subject, fault }, 'A reply could not be sent');
    this.#send(replyTo, frame.i, { fault });
  }

  /** @returns the reason why the reply could not be sent; undefined if it was sent. */
  #send(replyTo: string, id: string, reply: ReplyBody, token?: number): string | undefined {
    let frame: Buffer;
    try {
      frame = Buffer.from(JSON.stringify({ v: FRAME_VERSION, i: id, ...reply, a: token }));
    } catch {
      return 'the reply cannot be written as JSON';
    }
    const tooLarge = this.#replies.add(replyTo, token, frame);
    if (!tooLarge) return undefined;
    return `the reply of ${tooLarge} bytes exceeds the NATS server's max_payload of ${this.link.maxPayload}`;
  }
}

/** One subject for all replies to a caller, so that replies of one event loop turn share a message. */
const replySubject = (given: string): string => {
  const dot = given.lastIndexOf('.');
  return dot > 0 ? `${given.slice(0, dot)}.r` : given;
};

const malformedRequest = (problem: string): string =>
  `malformed request: ${problem}. Expected: [{"v":1,"i":"<id>","w":<ms to wait>,"c":{"correlationId":"…"},"p":<request>}]`;

/** Path and reason of the first mismatch; never the value, which may be a secret or a body. */
export const describeIssue = (error: z.core.$ZodError): string => {
  const issue = error.issues[0];
  return issue ? `${issue.path.map(String).join('.') || '(root)'}: ${issue.message}` : z.prettifyError(error);
};
