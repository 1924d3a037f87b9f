import { afterEach, describe, expect, it } from '@jest/globals';
import { startSpan } from '@postern/messaging';
import { startHttpReceiver } from '@postern/testing';
import { createLog } from '../log/service-log.js';
import { startTracing, type Tracing } from './tracing.js';

const { log } = createLog('spec', 'silent');
const SAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let tracing: Tracing | undefined;

afterEach(() => tracing?.close());

const start = (endpoint: string | undefined, traceRatio: number) =>
  startTracing({ endpoint, traceRatio, service: 'greeter', log });

const begun = (count: number) => Array.from({ length: count }, () => startSpan('work', undefined)?.traceparent);

describe('Tracing', () => {
  it('creates no spans without a collector', async () => {
    tracing = await start(undefined, 1);
    expect(startSpan('work', SAMPLED)).toBeUndefined();
  });

  it('sends recorded spans to the collector, including the last ones when it closes', async () => {
    const collector = await startHttpReceiver();
    const sending = await start(`${collector.url}/`, 1);
    startSpan('work', undefined)?.end();
    await sending.close();
    await collector.stop();
    expect(collector.requests).toMatchObject([
      { method: 'POST', url: '/v1/traces', headers: { 'content-type': 'application/x-protobuf' } },
    ]);
    expect(collector.requests[0]?.body.includes('greeter')).toBe(true);
  });

  it('records the configured share of new traces, and marks the others as unsampled', async () => {
    tracing = await start('http://127.0.0.1:9', 0.1);
    const traces = begun(2_000);
    const recorded = traces.filter(traceparent => traceparent?.endsWith('-01')).length;
    expect(traces).not.toContain(undefined);
    // Five standard deviations from 200.
    expect(recorded).toBeGreaterThan(130);
    expect(recorded).toBeLessThan(270);
  });

  it('records the trace of a caller regardless of the ratio', async () => {
    tracing = await start('http://127.0.0.1:9', 0);
    expect(startSpan('work', SAMPLED)?.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-.*-01$/);
  });

  it('closes in time even if the collector does not respond', async () => {
    const deaf = await startHttpReceiver();
    deaf.answerWith({ behaviour: 'drop' });
    const sending = await start(deaf.url, 1);
    startSpan('work', undefined)?.end();
    await sending.close();
    await deaf.stop();
    expect(startSpan('work', SAMPLED)).toBeUndefined();
  }, 15_000);
});
