import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Tracer } from '@opentelemetry/api';
import { runInContext, traceContextOf, traceWith } from '@postern/messaging';
import { waitFor } from '@postern/testing';
import { Metrics } from './metrics.js';
import { prefersOpenMetrics } from './open-metrics.js';

/** Each collection resets the measurement, so collections need an interval. */
const COLLECT_EVERY_MS = 500;
const BLOCKED_MS = 400;

describe('the metrics of a process', () => {
  let metrics: Metrics;

  const longestDelayS = async (): Promise<number> =>
    Number(/^nodejs_eventloop_delay_max\S* (\S+)/m.exec(await metrics.render())?.[1]);

  beforeEach(() => {
    metrics = new Metrics('metrics-spec', '1.2.3');
  });

  afterEach(() => metrics.close());

  it('name the release', async () =>
    expect(await metrics.render()).toMatch(
      /^postern_build_info\{(?=.*version="1\.2\.3").*service_name="metrics-spec".*\} 1/m,
    ));

  it('report no delay for an idle event loop', async () => {
    const onTime = async () => {
      const delayS = await longestDelayS();
      return delayS > 0 && delayS < 0.01;
    };
    await waitFor(onTime, { describe: 'a delay of less than 10 ms', intervalMs: COLLECT_EVERY_MS });
  });

  it('report how long the event loop was blocked since the last collection', async () => {
    const blocked = async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
      await pause(1);
      return (await longestDelayS()) > (BLOCKED_MS - 150) / 1_000;
    };
    await waitFor(blocked, { describe: 'the delay', intervalMs: COLLECT_EVERY_MS });
  });
});

describe('the metrics in the OpenMetrics format', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c';
  const OTHER = '11111111111111111111111111111111';
  const recorded = (trace: string) => `00-${trace}-b7ad6b7169203331-01`;
  let metrics: Metrics;

  const durations = (advice = { explicitBucketBoundaries: [0.5, 1, 10] }) =>
    metrics.meter('spec').createHistogram('spec.request.duration', { unit: 's', description: 'The "time"', advice });
  const linesOf = async (name: string) =>
    (await metrics.renderOpenMetrics()).split('\n').filter(line => line.includes(name));

  beforeEach(() => {
    metrics = new Metrics('metrics-spec', '1.2.3');
    // Exemplars need only that traces are recorded.
    traceWith({ tracer: {} as Tracer, ratio: 0 });
  });

  afterEach(async () => {
    traceWith(undefined);
    await metrics.close();
  });

  it('name a recorded trace in the bucket of its measurement', async () => {
    durations().record(0.7, { route: '/emails/:id', status: 200 }, traceContextOf(recorded(TRACE)));
    const labels = 'route="/emails/:id",status="200",service_name="metrics-spec"';
    expect(await linesOf('_bucket')).toEqual([
      `spec_request_duration_bucket{${labels},le="0.5"} 0`,
      expect.stringMatching(
        new RegExp(`^spec_request_duration_bucket\\{${labels},le="1\\.0"\\} 1 # \\{trace_id="${TRACE}"\\} 0\\.7 \\d+`),
      ),
      `spec_request_duration_bucket{${labels},le="10.0"} 1`,
      `spec_request_duration_bucket{${labels},le="+Inf"} 1`,
    ]);
  });

  it('name the trace of the current work, the newest one of each bucket', async () => {
    const histogram = durations();
    const work = (trace: string, seconds: number) =>
      runInContext({ correlationId: 'spec', traceparent: recorded(trace) }, () => histogram.record(seconds));
    work(OTHER, 0.1);
    work(TRACE, 0.2);
    work(OTHER, 99);
    const named = (await linesOf('_bucket')).map(line => /trace_id="(\w+)"/.exec(line)?.[1]);
    expect(named).toEqual([TRACE, undefined, undefined, OTHER]);
  });

  it('tell series apart whose values contain quotes, and find one whose labels were given in another order', async () => {
    const histogram = durations({ explicitBucketBoundaries: [1] });
    histogram.record(0.1, { first: 'a "quoted\\ word"', second: 1 });
    histogram.record(0.1, { second: 1, first: 'a "quoted\\ word"' }, traceContextOf(recorded(TRACE)));
    histogram.record(0.1, { first: 'another', second: 1 });
    const found = (await linesOf('trace_id')).map(line => line.split(' # ')[0]);
    expect(found).toEqual([
      'spec_request_duration_bucket{first="a \\"quoted\\\\ word\\"",second="1",service_name="metrics-spec",le="1.0"} 2',
    ]);
  });

  it.each([
    ['is not sampled', `00-${TRACE}-b7ad6b7169203331-00`],
    ['is not valid', 'nonsense'],
    ['does not exist', undefined],
  ])('name no trace that %s', async (_reason, traceparent) => {
    durations().record(0.1, {}, traceContextOf(traceparent));
    expect(await linesOf('trace_id')).toEqual([]);
  });

  it('name no trace while tracing is off', async () => {
    traceWith(undefined);
    durations().record(0.1, {}, traceContextOf(recorded(TRACE)));
    runInContext({ correlationId: 'spec', traceparent: recorded(TRACE) }, () => durations().record(0.1));
    expect(await linesOf('trace_id')).toEqual([]);
  });

  it('describe counters without their suffix, have no units, and end with a mark', async () => {
    metrics.meter('spec').createCounter('spec.sent', { unit: '{email}', description: 'Sent' }).add(3);
    durations().record(1);
    const text = await metrics.renderOpenMetrics();
    expect(text).toContain(
      '# HELP spec_sent Sent\n# TYPE spec_sent counter\nspec_sent_total{service_name="metrics-spec"} 3\n',
    );
    expect(text).toContain('# HELP spec_request_duration The \\"time\\"\n# TYPE spec_request_duration histogram\n');
    expect(text).not.toContain('# UNIT');
    expect(text).toMatch(/[^\n]\n# EOF\n$/);
  });

  it('are not part of the text format', async () => {
    durations().record(0.1, {}, traceContextOf(recorded(TRACE)));
    expect(await metrics.render()).not.toMatch(/trace_id|# EOF/);
  });
});

describe('OpenMetrics is preferred', () => {
  it.each([
    'application/openmetrics-text',
    'Application/OpenMetrics-Text; version=1.0.0, text/plain;q=0.5',
    // Prometheus 3
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
  ])('by %s', accept => expect(prefersOpenMetrics(accept)).toBe(true));

  it.each([
    undefined,
    '',
    '*/*',
    'text/plain',
    'text/plain, application/openmetrics-text;q=0.4',
    'application/openmetrics-text;q=0',
    'application/openmetrics-text-other',
  ])('not by %s', accept => expect(prefersOpenMetrics(accept)).toBe(false));
});
