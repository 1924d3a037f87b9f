import type { Dispatcher } from 'undici';
import type { Expiring } from './deadlines.js';
import { type EndpointResponse, retryAfterMsOf } from './endpoint-response.js';

const RESPONSE_HEAD_BYTES = 16 * 1024;

/**
 * Collects the status and the head of the body from undici; the first of response, error and timeout settles it. A body
 * that breaks off is ignored: the status says whether the endpoint accepted the event.
 */
export class ResponseHandler implements Dispatcher.DispatchHandler, Expiring {
  readonly #startedAt = performance.now();
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #status: number | undefined;
  #retryAfterMs: number | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;

  constructor(
    private readonly timeoutMs: number,
    private readonly maySend: (() => boolean) | undefined,
    private readonly settle: (response: EndpointResponse) => void,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The request can time out while it waits for a connection.
    if (this.#settled) controller.abort(new Error('timed out'));
    else if (this.maySend?.() === false) {
      this.#end({ error: 'the request was not sent', notSent: true });
      controller.abort(new Error('not sent'));
    }
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#retryAfterMs = retryAfterMsOf(status, headers['retry-after'], Date.now());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < RESPONSE_HEAD_BYTES) return;
    this.#succeed();
    controller.abort(new Error('the head of the response is complete'));
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: unknown): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    if (this.#status === undefined) this.#end({ error: describeError(error) });
    else this.#succeed();
  }

  expire(): void {
    this.#end({ error: `no complete answer within ${this.timeoutMs / 1000} s` });
    this.#controller?.abort(new Error('timed out'));
  }

  #succeed(): void {
    this.#end({
      ...(this.#status !== undefined && { status: this.#status }),
      ...(this.#retryAfterMs !== undefined && { retryAfterMs: this.#retryAfterMs }),
      responseHead: this.#head(),
    });
  }

  #end(response: Omit<EndpointResponse, 'latencyMs'>): void {
    if (this.#settled) return;
    this.#settled = true;
    this.settle({ ...response, latencyMs: Math.round(performance.now() - this.#startedAt) });
  }

  #head(): string {
    if (this.#size === 0) return '';
    // PostgreSQL's text type cannot store NUL.
    return Buffer.concat(this.#chunks).subarray(0, RESPONSE_HEAD_BYTES).toString('utf8').replaceAll('\0', '\ufffd');
  }
}

const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return [code, error.message].filter(Boolean).join(': ').slice(0, 500);
};
