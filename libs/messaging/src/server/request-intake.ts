import type { Msg, Subscription } from '@nats-io/transport-node';
import { Refusal, type RequestContract } from '@postern/contracts';
import { z } from 'zod';
import type { NatsLink } from '../connection.js';
import { runInContext } from '../context.js';
import { decodeFrames, type ReplyFrame, type RequestFrame } from '../frames.js';
import { instruments } from '../instruments.js';
import type { Log } from '../log.js';
import { TickBatches } from '../tick-batches.js';
import { startSpan } from '../tracing.js';

/** Answers one validated request; what it throws decides the kind of the reply. */
export type Answer = (request: unknown) => Promise<unknown>;

export interface IntakeOptions {
  readonly service: string;
  readonly log: Log;
  /** Handlers running at the same time; more requests wait their turn. */
  readonly concurrency: number;
  /** Requests waiting for their turn; beyond this they are answered "busy", not executed. */
  readonly queueLimit: number;
}

interface Job {
  readonly contract: RequestContract;
  readonly answer: Answer;
  readonly frame: RequestFrame;
  readonly replyTo: string;
  readonly arrivedAt: number;
}

/** Takes requests off NATS, runs their handlers within bounds and sends each answer as soon as it is there. */
export class RequestIntake {
  readonly #subscriptions: Subscription[] = [];
  readonly #waiting: Job[] = [];
  readonly #replies: TickBatches<string>;
  #running = 0;
  #idle: (() => void) | undefined;

  constructor(
    private readonly link: NatsLink,
    private readonly options: IntakeOptions,
  ) {
    this.#replies = new TickBatches(
      () => link.maxPayload,
      (destination, { data }) => {
        if (!link.closed) link.nc.publish(destination, data);
      },
    );
  }

  serve(contract: RequestContract, answer: Answer): void {
    const callback = (_error: Error | null, message: Msg) => this.#take(contract, answer, message);
    this.#subscriptions.push(this.link.nc.subscribe(contract.subject, { queue: this.options.service, callback }));
  }

  /** Takes no more, finishes what has arrived and sends its answers. Bounded by the caller. */
  async drain(): Promise<void> {
    if (this.link.connected) await Promise.all(this.#subscriptions.map(subscription => subscription.drain()));
    if (this.#running + this.#waiting.length > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#idle = resolve;
      await promise;
    }
    this.#replies.flush();
    if (this.link.connected) await this.link.nc.flush();
  }

  #take(contract: RequestContract, answer: Answer, message: Msg): void {
    if (!message.reply) return;
    const replyTo = `${message.reply.slice(0, message.reply.lastIndexOf('.'))}.r`;
    const arrivedAt = performance.now();
    for (const frame of decodeFrames<RequestFrame>(message.data)) {
      const job = { contract, answer, frame, replyTo, arrivedAt };
      if (this.#running < this.options.concurrency) this.#start(job);
      else if (this.#waiting.length < this.options.queueLimit) this.#waiting.push(job);
      else this.#reply(job, { i: frame.i, busy: true });
    }
  }

  #start(job: Job): void {
    this.#running += 1;
    // A handler that hangs keeps its place only while somebody may still wait for it.
    const { promise: abandoned, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, job.frame.w * 2);
    void Promise.race([this.#run(job), abandoned]).then(() => {
      clearTimeout(timer);
      this.#running -= 1;
      this.#startNext();
    });
  }

  #startNext(): void {
    for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) {
      const waitedMs = performance.now() - job.arrivedAt;
      if (waitedMs < job.frame.w) {
        this.#start(job);
        return;
      }
    }
    if (this.#running === 0) this.#idle?.();
  }

  async #run(job: Job): Promise<void> {
    const { contract, frame } = job;
    const span = startSpan(`${contract.service}/${contract.name}`, frame.c.traceparent, {
      kind: 'server',
      attributes: { 'rpc.system': 'nats', 'rpc.service': contract.service, 'rpc.method': contract.name },
    });
    const context = span ? { ...frame.c, traceparent: span.traceparent } : frame.c;
    const reply = await runInContext(context, () => this.#answer(job));
    const outcome = outcomeOf(reply);
    span?.annotate(outcome);
    span?.end('fault' in reply ? 'fault' : undefined);
    const seconds = (performance.now() - job.arrivedAt) / 1_000;
    instruments().requestDuration.record(seconds, { 'rpc.method': contract.name, ...outcome });
    this.#reply(job, reply);
  }

  async #answer({ contract, frame, answer }: Job): Promise<ReplyFrame> {
    const parsed = contract.request.safeParse(frame.p);
    if (!parsed.success) {
      const fault = `the request does not fit its contract: ${describeIssue(parsed.error)}`;
      this.options.log.error(
        { subject: contract.subject, correlationId: frame.c.correlationId, fault },
        'Malformed request',
      );
      return { i: frame.i, fault };
    }
    try {
      return { i: frame.i, ok: await answer(parsed.data) };
    } catch (error) {
      if (Refusal.is(error)) {
        return { i: frame.i, refusal: { code: error.code, message: error.message, details: error.details } };
      }
      const { correlationId } = frame.c;
      this.options.log.error({ err: error, subject: contract.subject, correlationId }, 'A request met a bug');
      return { i: frame.i, fault: `internal error, logged under correlation id ${correlationId}` };
    }
  }

  #reply({ contract, replyTo }: Job, reply: ReplyFrame): void {
    const tooLarge = this.#replies.add(replyTo, reply.i, JSON.stringify(reply));
    if (!tooLarge) return;
    const fault = `the reply of ${tooLarge} bytes exceeds the NATS server's max_payload of ${this.link.maxPayload}`;
    this.options.log.error({ subject: contract.subject, fault }, 'Reply too large');
    this.#replies.add(replyTo, reply.i, JSON.stringify({ i: reply.i, fault }));
  }
}

/** As metrics and spans tell it: refusals by their code, of which a contract has a few. */
const outcomeOf = (reply: ReplyFrame) => {
  if ('refusal' in reply) return { outcome: 'refused', 'error.type': reply.refusal.code };
  return { outcome: 'fault' in reply ? 'fault' : 'ok' };
};

/** Path and reason of the first mismatch; never the value, which may be a secret or a body. */
export const describeIssue = (error: z.core.$ZodError): string => {
  const issue = error.issues[0];
  return issue ? `${issue.path.map(String).join('.') || '(root)'}: ${issue.message}` : z.prettifyError(error);
};
