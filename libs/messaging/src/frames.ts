import { isJsonObject } from '@postern/contracts';
import type { RequestContext } from './context.js';

/**
 * The wire format: arrays of frames, as requests of one event loop turn travel together; `i` matches answers to requests.
 * A higher `v` is refused with a message.
 */
export const FRAME_VERSION = 1;

export interface RequestFrame {
  readonly v: typeof FRAME_VERSION;
  readonly i: string;
  readonly p: unknown;
  /** How long the caller waits, relative to now, so that clocks need not agree. */
  readonly w: number;
  /**
   * When the caller stops waiting, in milliseconds since the epoch by its clock, which is compared only with that of its
   * other requests; absent in queued requests, which nobody waits for.
   */
  readonly d?: number | undefined;
  readonly c: RequestContext;
  /** For a command that its caller may repeat: the service answers a repetition with the first answer. */
  readonly k?: RequestKey | undefined;
}

/** Identifies the repetitions of a command. */
export interface RequestKey {
  /** Who chose the key; another caller's equal key is another one. */
  readonly caller: string;
  readonly key: string;
  /** Hash of the request; another request with the same key is refused. */
  readonly fingerprint: string;
}

export interface RefusalBody {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** The HTTP status of the code, by which a caller handles a code that it does not know. */
  readonly status?: number | undefined;
}

/** The content of a reply. `unavailable` and `expired` come with `busy` or `fault`. */
export type ReplyBody =
  | { readonly ok: unknown }
  | { readonly refusal: RefusalBody }
  /** `executed: false` guarantees that the request had no effect. */
  | { readonly fault: string; readonly executed?: false }
  | { readonly busy: true; readonly executed: false }
  | { readonly busy: true; readonly expired: true; readonly executed: false }
  | { readonly busy: true; readonly unavailable: UnavailableBody; readonly executed: false }
  | { readonly fault: string; readonly unavailable: UnavailableBody };

export interface UnavailableBody {
  readonly retryAfterS?: number | undefined;
}

export type ReplyFrame = ReplyBody & {
  readonly v: typeof FRAME_VERSION;
  /** The answer to an earlier request with the same key. */
  readonly replayed?: boolean | undefined;
  /** Empty: the message as a whole was refused. */
  readonly i: string;
  /** Requests a confirmation with this number, sent to the reply subject of the message, if the caller still waits. */
  readonly a?: number | undefined;
};

/** The JSON of fields of a request as it was received and checked, so that it is not written again. */
export type ReceivedJson = Readonly<Record<string, Uint8Array>>;

const END_OF_FRAME = '}}';

/** A frame of a request as JSON; the fields in `received` are copied into it as they are. */
export const encodeRequestFrame = ({ p, ...frame }: RequestFrame, received: ReceivedJson = {}): Buffer => {
  const fields = Object.entries(received);
  if (fields.length === 0) return Buffer.from(JSON.stringify({ ...frame, p }));
  const others = { ...(p as object), ...Object.fromEntries(fields.map(([name]) => [name, undefined])) };
  // The request comes last, so that the frame ends with its end.
  const text = JSON.stringify({ ...frame, p: others }).slice(0, -END_OF_FRAME.length);
  const pieces = fields.flatMap(([name, json], at) => [
    Buffer.from(`${at === 0 && text.endsWith('{') ? '' : ','}${JSON.stringify(name)}:`),
    json,
  ]);
  return Buffer.concat([Buffer.from(text), ...pieces, Buffer.from(END_OF_FRAME)]);
};

/** The problem of a malformed frame; with `id` if that is readable. */
export interface MalformedFrame {
  readonly malformed: string;
  readonly id: string | undefined;
}

/** The longest wait of a request. */
export const LONGEST_WAIT_MS = 86_400_000;
/** Services send up to 256 frames in a message; millions would block the event loop for seconds. */
const MAX_FRAMES = 4_096;

/** The frames of a message; a description of the problem when there are none. */
export const decodeFrames = (data: Uint8Array): readonly unknown[] | string => {
  let frames: unknown;
  try {
    frames = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8'));
  } catch {
    return 'not JSON';
  }
  if (!Array.isArray(frames)) return 'not a JSON array of frames';
  if (frames.length === 0) return 'an array without a frame';
  return frames.length > MAX_FRAMES ? `more than ${MAX_FRAMES} frames` : frames;
};

/** Hand-written checks take 0.03 µs; a schema takes ten times as long, and parsing the JSON of a small frame 1 µs. */
export const readRequestFrame = (frame: unknown): RequestFrame | MalformedFrame => {
  const problem = requestProblem(frame);
  return problem === undefined ? (frame as RequestFrame) : malformed(frame, problem);
};

export const readReplyFrame = (frame: unknown): ReplyFrame | MalformedFrame => {
  const problem = replyProblem(frame);
  return problem === undefined ? (frame as ReplyFrame) : malformed(frame, problem);
};

const requestProblem = (frame: unknown): string | undefined => {
  if (!isJsonObject(frame)) return 'a frame that is not an object';
  const { i, w, d, c } = frame;
  const version = versionProblem(frame['v']);
  if (version) return version;
  if (!isId(i)) return 'i (the id) is not a text of 1 to 64 characters';
  if (typeof w !== 'number' || !(w > 0 && w <= LONGEST_WAIT_MS)) return 'w (the wait) is not between 0 and a day in ms';
  if (d !== undefined && typeof d !== 'number') return 'd (the deadline) is not a number';
  if (!isJsonObject(c) || typeof c['correlationId'] !== 'string') return 'c (the context) has no correlationId';
  if (!isOptionalText(c['causationId']) || !isOptionalText(c['traceparent']) || !isOptionalText(c['actor'])) {
    return 'c (the context) holds something else than texts';
  }
  if (frame['k'] !== undefined && !isRequestKey(frame['k']))
    return 'k (the key) is not a caller, a key and a fingerprint';
  return undefined;
};

const replyProblem = (frame: unknown): string | undefined => {
  if (!isJsonObject(frame)) return 'a frame that is not an object';
  const version = versionProblem(frame['v']);
  if (version) return version;
  if (frame['i'] !== '' && !isId(frame['i'])) return 'i (the id) is not a text of up to 64 characters';
  if (frame['a'] !== undefined && !isToken(frame['a'])) return 'a (the confirmation) is not a number';
  if ('refusal' in frame)
    return isRefusal(frame['refusal']) ? undefined : 'refusal is not a code, a message, details and a status';
  if ('unavailable' in frame && !isUnavailable(frame['unavailable'])) return 'unavailable is not an object';
  if ('fault' in frame) return typeof frame['fault'] === 'string' ? undefined : 'fault is not a text';
  if ('busy' in frame) return frame['busy'] === true ? undefined : 'busy is not true';
  return 'ok' in frame ? undefined : 'neither ok, refusal, fault nor busy';
};

/** Numbers with which a caller confirms replies. */
export const isToken = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

const versionProblem = (version: unknown): string | undefined => {
  if (version === FRAME_VERSION) return undefined;
  if (Number.isSafeInteger(version) && (version as number) > FRAME_VERSION) {
    return `version ${String(version)} of the frames, and this release knows no later one than ${FRAME_VERSION}`;
  }
  return 'v (the version) is not a version';
};

const malformed = (frame: unknown, problem: string): MalformedFrame => {
  const id = isJsonObject(frame) && isId(frame['i']) ? frame['i'] : undefined;
  return { malformed: problem, id };
};

const isId = (value: unknown): value is string => typeof value === 'string' && value.length > 0 && value.length <= 64;
const isOptionalText = (value: unknown): boolean => value === undefined || typeof value === 'string';
const isRefusal = (value: unknown): boolean =>
  isJsonObject(value) &&
  typeof value['code'] === 'string' &&
  typeof value['message'] === 'string' &&
  isJsonObject(value['details']) &&
  (value['status'] === undefined || isErrorStatus(value['status']));
const isErrorStatus = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 400 && (value as number) < 600;
const isRequestKey = (value: unknown): boolean =>
  isJsonObject(value) && ['caller', 'key', 'fingerprint'].every(field => typeof value[field] === 'string');
const isUnavailable = (value: unknown): boolean =>
  isJsonObject(value) && (value['retryAfterS'] === undefined || typeof value['retryAfterS'] === 'number');
