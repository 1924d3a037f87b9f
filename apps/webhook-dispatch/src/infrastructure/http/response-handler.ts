import type { Dispatcher } from 'undici';
import type { Answer } from '../../deliveries/endpoint-response.js';
import type { Expiring } from './deadlines.js';

const RESPONSE_HEAD_BYTES = 16 * 1024;

/** One call under way: takes the status and the head of the body from undici, and is settled once, by whatever comes first. */
export class EndpointResponse implements Dispatcher.DispatchHandler, Expiring {
  private readonly began = performance.now();
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private status: number | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private settled = false;

  constructor(
    private readonly deadlineMs: number,
    private readonly settle: (answer: Answer) => void,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // It may have been given up while it waited for its connection.
    if (this.settled) controller.abort(new Error('given up'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size < RESPONSE_HEAD_BYTES) return;
    this.answered();
    controller.abort(new Error('enough'));
  }

  onResponseEnd(): void {
    this.answered();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: unknown): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    this.end({ error: describe(error) });
  }

  expire(): void {
    this.end({ error: `no complete answer within ${this.deadlineMs / 1000} s` });
    this.controller?.abort(new Error('too late'));
  }

  private answered(): void {
    this.end({ ...(this.status !== undefined && { status: this.status }), responseHead: this.head() });
  }

  private end(answer: Omit<Answer, 'latencyMs'>): void {
    if (this.settled) return;
    this.settled = true;
    this.settle({ ...answer, latencyMs: Math.round(performance.now() - this.began) });
  }

  private head(): string {
    if (this.size === 0) return '';
    // PostgreSQL's text knows no NUL.
    return Buffer.concat(this.chunks).subarray(0, RESPONSE_HEAD_BYTES).toString('utf8').replaceAll('\0', '\ufffd');
  }
}

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return [code, error.message].filter(Boolean).join(': ').slice(0, 500);
};
