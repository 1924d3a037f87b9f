/** A request that is sent over and over; `{n}` in the body becomes the number of the request. Without a body: a GET. */
export interface RequestTemplate {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** `connections` callers, each with one request under way at a time. */
export interface ClosedLoop extends RequestTemplate {
  readonly connections: number;
  readonly seconds: number;
}

/** Requests at times of their own, however the answers come; latency counts from the time that was due. */
export interface OpenLoop extends RequestTemplate {
  readonly connections: number;
  readonly seconds: number;
  readonly perSecond: number;
}

/** Latencies are in milliseconds and of good answers only. */
export interface LoadResult {
  readonly answered: number;
  readonly failed: number;
  /** The first answer that was not 2xx, or the first error. */
  readonly firstFailure: string | undefined;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}
