/** A repeated request; `{n}` in the body is replaced by the number of the request. Without a body it is a GET. */
export interface RequestTemplate {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** `connections` clients with one request at a time each. */
export interface ClosedLoop extends RequestTemplate {
  readonly connections: number;
  readonly seconds: number;
}

/** Requests at fixed times, independent of responses; latency counts from the scheduled time. */
export interface OpenLoop extends RequestTemplate {
  readonly connections: number;
  readonly seconds: number;
  readonly perSecond: number;
}

/** Latencies in milliseconds, of successful responses only. */
export interface LoadResult {
  readonly answered: number;
  readonly failed: number;
  /** The first response that was not 2xx, or the first error. */
  readonly firstFailure: string | undefined;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** The same bytes, sent repeatedly from one address. */
export interface Flood {
  readonly port: number;
  /** The address of the attacker. */
  readonly address: string;
  readonly head: string;
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
  /** False for a client that closes each connection right after sending. */
  readonly waits?: boolean;
}

export interface FloodResult {
  /** Number of requests per status; `0` counts connections that ended without a response. */
  readonly answers: Readonly<Record<string, number>>;
}
