/** The load generator, a separate process that is the same for all measurements. */
import { Pool } from 'undici';
import { poissonArrivals } from '../measure/arrivals.js';
import { percentile } from '../measure/statistics.js';
import type { ClosedLoop, LoadResult, OpenLoop, RequestTemplate } from './requests.js';
import { handleCommands } from './worker.js';

let sent = 0;

/** Latencies and failures of one run. */
class Tally {
  private readonly latencies: number[] = [];
  private failed = 0;
  private firstFailure: string | undefined;
  private readonly startedAt = performance.now();

  answered(status: number, since: number, body: string): void {
    if (status >= 200 && status < 300) this.latencies.push(performance.now() - since);
    else this.lost(`${status} ${body.slice(0, 300)}`);
  }

  lost(why: string): void {
    this.failed++;
    this.firstFailure ??= why;
  }

  result(): LoadResult {
    const seconds = (performance.now() - this.startedAt) / 1_000;
    if (this.latencies.length === 0) throw new Error(`no request succeeded; first failure: ${this.firstFailure}`);
    const sorted = Float64Array.from(this.latencies).sort();
    return {
      answered: sorted.length,
      failed: this.failed,
      firstFailure: this.firstFailure,
      seconds,
      p50: percentile(sorted, 50),
      p99: percentile(sorted, 99),
      max: percentile(sorted, 100),
    };
  }
}

/** Sends one request and resolves when it ends; `dispatch` costs half as much as `request`. */
const sender = ({ url, headers, body }: RequestTemplate, pool: Pool) => {
  const { pathname, search } = new URL(url);
  const path = pathname + search;
  const [before = '', after = ''] = body?.split('{n}') ?? [];
  return (since: number, counts: Tally) =>
    new Promise<void>(done => {
      let status = 0;
      let refusal = '';
      pool.dispatch(
        body === undefined
          ? { method: 'GET', path, headers }
          : { method: 'POST', path, headers, body: `${before}${++sent}${after}` },
        {
          onRequestStart() {},
          onResponseStart(_controller, statusCode) {
            status = statusCode;
          },
          onResponseData(_controller, chunk) {
            if (status >= 300) refusal += chunk.toString();
          },
          onResponseEnd() {
            counts.answered(status, since, refusal);
            done();
          },
          onResponseError(_controller, error) {
            counts.lost(String(error));
            done();
          },
        },
      );
    });
};

const withPool = async <Result>(url: string, connections: number, work: (pool: Pool) => Promise<Result>) => {
  const pool = new Pool(new URL(url).origin, { connections, pipelining: 1, headersTimeout: 60_000 });
  try {
    return await work(pool);
  } finally {
    await pool.destroy();
  }
};

const closed = (load: ClosedLoop): Promise<LoadResult> =>
  withPool(load.url, load.connections, async pool => {
    const send = sender(load, pool);
    const counts = new Tally();
    const end = performance.now() + load.seconds * 1_000;
    const caller = async () => {
      while (performance.now() < end) await send(performance.now(), counts);
    };
    await Promise.all(Array.from({ length: load.connections }, caller));
    return counts.result();
  });

const open = (load: OpenLoop): Promise<LoadResult> =>
  withPool(load.url, load.connections, async pool => {
    const send = sender(load, pool);
    const counts = new Tally();
    const startedAt = performance.now();
    const arrivals = poissonArrivals(load.perSecond, load.seconds);
    const underWay: Promise<void>[] = [];
    for (const dueMs of arrivals) {
      while (performance.now() - startedAt < dueMs) await new Promise(resolve => setTimeout(resolve, 1));
      underWay.push(send(startedAt + dueMs, counts));
    }
    await Promise.all(underWay);
    return counts.result();
  });

handleCommands({ closed, open });
