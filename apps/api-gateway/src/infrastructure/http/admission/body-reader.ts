import type { IncomingMessage, ServerResponse } from 'node:http';
import { KIB, MIB } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../errors/problem.js';
import { earlyBodyOf } from '../server/early-body.js';
import { ReceivedBody } from '../validation/received-body.js';
import { StreamedBody } from '../validation/streamed-body.js';
import { networkOf } from './admission.js';
import type { BufferedBytes } from './buffered-bytes.js';
import { DiscardedBytes } from './discarded-bytes.js';
import { onRequestEnd } from './request-end.js';
import { admissionOfRequest } from './route-admission.js';

/** Smaller bodies are not counted; the connection limit bounds them. */
const UNCOUNTED_BYTES = 16 * KIB;
/** Maximum number of bytes of a refused body that are discarded before the connection is closed. */
const MAX_DISCARDED_BYTES = 16 * MIB;

/**
 * Reads admitted bodies up to the limit of their route, and counts them in `BufferedBytes` until the request is
 * answered.
 */
export class BodyReader {
  /** Requests with `Expect: 100-continue`, which get the interim response only when their body is read. */
  readonly #waiting = new WeakMap<IncomingMessage, ServerResponse>();
  /** The responses of requests whose body may be counted. */
  readonly #responses = new WeakMap<FastifyRequest, ServerResponse>();
  readonly #discarded = new DiscardedBytes();

  constructor(private readonly buffered: BufferedBytes) {}

  expectContinue(request: IncomingMessage, response: ServerResponse): void {
    this.#waiting.set(request, response);
  }

  /** Refuses a body by its declared length. @throws 413, 429 or 503 */
  assertDeclaredLength(request: FastifyRequest, reply: FastifyReply): void {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const declared = length === undefined ? 0 : Number(length);
    if (declared === 0 && encoding === undefined) return;
    const { maxBodyBytes, isStreamed } = admissionOfRequest(request);
    // A route without a body never reads one.
    if (maxBodyBytes === 0) return;
    if (declared > maxBodyBytes) throw tooLarge(maxBodyBytes);
    if (isStreamed) return;
    if (declared <= UNCOUNTED_BYTES && encoding === undefined) return;
    this.#responses.set(request, reply.raw);
    if (declared > UNCOUNTED_BYTES) this.buffered.assertFits(networkOf(request), declared);
  }

  /** Discards the rest of a body up to a limit, so that a client that is still sending receives the response. */
  discardUnread(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    if (raw.complete || (length === '0' && encoding === undefined)) return;
    // Without this check, the gateway would read once more from each connection of a flood.
    if (!this.#discarded.add(networkOf(request), UNCOUNTED_BYTES)) {
      reply.header('connection', 'close');
      return;
    }
    let discarded = 0;
    raw.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      const mayContinue = this.#discarded.add(networkOf(request), chunk.length);
      if (discarded > MAX_DISCARDED_BYTES || !mayContinue) raw.destroy();
    });
  }

  async read(request: FastifyRequest, payload: IncomingMessage): Promise<ReceivedBody | StreamedBody> {
    const { maxBodyBytes, isStreamed } = admissionOfRequest(request);
    const early = earlyBodyOf(request.raw);
    if (!early) this.#waiting.get(request.raw)?.writeContinue();
    if (isStreamed) return new StreamedBody(payload);
    const { 'content-type': type = '', 'content-encoding': encoding } = request.headers;
    const bytes = early ?? (await this.#bytesOf(request, payload, maxBodyBytes));
    return new ReceivedBody(bytes, type, encoding);
  }

  #bytesOf(request: FastifyRequest, payload: IncomingMessage, maxBodyBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let received = 0;
      let count: ((bytes: number) => void) | undefined;
      const stop = () => {
        payload.off('data', onData).off('end', onEnd).off('error', onAborted);
      };
      const fail = (problem: unknown) => {
        stop();
        chunks.length = 0;
        reject(problem);
      };
      const onData = (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxBodyBytes) return fail(tooLarge(maxBodyBytes));
        try {
          if (count) count(chunk.length);
          else if (received > UNCOUNTED_BYTES) {
            count = this.#counterOf(request);
            count(received);
          }
        } catch (full) {
          return fail(full);
        }
        chunks.push(chunk);
      };
      const onEnd = () => {
        stop();
        // Always copied, so that a small body does not retain the read buffer of its socket.
        resolve(Buffer.concat(chunks, received));
      };
      const onAborted = () => fail(new Problem(400, 'The request body is incomplete.', { connection: 'close' }));
      payload.on('data', onData).on('end', onEnd).on('error', onAborted);
    });
  }

  /** Counts bytes for the client of a request, and releases them when the request ends. */
  #counterOf(request: FastifyRequest): (bytes: number) => void {
    const client = networkOf(request);
    let counted = 0;
    const release = () => {
      this.buffered.release(client, counted);
      counted = 0;
    };
    const response = this.#responses.get(request);
    if (response) onRequestEnd(request.raw, response, release);
    else request.raw.socket.once('close', release);
    return bytes => {
      this.buffered.reserve(client, bytes);
      counted += bytes;
    };
  }
}

const tooLarge = (maxBodyBytes: number): Problem =>
  new Problem(413, `The body is larger than ${sizeOf(maxBodyBytes)}.`);

/** A human-readable size: `4 KiB`, `10 MiB`. */
export const sizeOf = (bytes: number): string =>
  bytes % MIB === 0 ? `${bytes / MIB} MiB` : bytes % KIB === 0 ? `${bytes / KIB} KiB` : `${bytes} bytes`;
