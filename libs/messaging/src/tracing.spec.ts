import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Tracer } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { currentContext, runInContext } from './context.js';
import { inSharedSpan, inSpan, startSpan, traceWith } from './tracing.js';

const RECORDED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const ALSO_RECORDED = '00-11111111111111111111111111111111-2222222222222222-01';
const UNRECORDED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';

let exporter: InMemorySpanExporter;
let tracer: Tracer;

const ended = () => exporter.getFinishedSpans();

beforeEach(() => {
  exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  tracer = provider.getTracer('spec');
  traceWith({ tracer, ratio: 1 });
});

afterEach(() => traceWith(undefined));

describe('A span', () => {
  it('continues the trace of its cause', () => {
    const span = startSpan('work', RECORDED, { kind: 'server', attributes: { 'rpc.method': 'greet' } });
    span?.end();
    expect(span?.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    expect(ended()).toMatchObject([
      { name: 'work', parentSpanContext: { spanId: 'b7ad6b7169203331' }, attributes: { 'rpc.method': 'greet' } },
    ]);
  });

  it('starts a trace when there is no valid one', () => {
    const traces = [undefined, 'nonsense'].map(parent => startSpan('work', parent)?.traceparent?.split('-')[1]);
    expect(traces).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it('is not created in a trace that is not recorded', () => {
    expect(startSpan('work', UNRECORDED)).toBeUndefined();
  });

  it('of an unsampled trace only passes the flag on', () => {
    traceWith({ tracer, ratio: 0 });
    const span = startSpan('work', undefined);
    span?.end();
    expect(span?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(startSpan('more work', span?.traceparent)).toBeUndefined();
    expect(ended()).toEqual([]);
  });

  it('is not created while tracing is off', () => {
    traceWith(undefined);
    expect(startSpan('work', RECORDED)).toBeUndefined();
  });

  it('records the name of an error and not its message', async () => {
    const failing = inSpan('work', {}, () => Promise.reject(new RangeError('of ada@customers.test')));
    await expect(failing).rejects.toThrow(RangeError);
    expect(ended()).toMatchObject([{ attributes: { 'error.type': 'RangeError' } }]);
    expect(JSON.stringify(ended()[0]?.status)).not.toContain('ada');
  });

  it('is the parent of what happens inside it', async () => {
    const inside = await runInContext({ correlationId: 'c', traceparent: RECORDED }, () =>
      inSpan('work', {}, async span => [span?.traceparent, currentContext()?.traceparent]),
    );
    expect(inside[0]).toBeDefined();
    expect(inside[1]).toBe(inside[0]);
  });
});

describe('Work that several traces share', () => {
  it('is one span in the first recorded trace, linked to the others', async () => {
    await inSharedSpan('transaction', [undefined, UNRECORDED, RECORDED, ALSO_RECORDED], async () => {});
    expect(ended()).toMatchObject([
      {
        name: 'transaction',
        parentSpanContext: { spanId: 'b7ad6b7169203331' },
        links: [{ context: { spanId: '2222222222222222' } }],
        attributes: { 'postern.batch.size': 4 },
      },
    ]);
    expect(ended()[0]?.links).toHaveLength(1);
  });

  it('has no span when no trace is recorded', async () => {
    await expect(inSharedSpan('transaction', [undefined, UNRECORDED], async () => 'done')).resolves.toBe('done');
    expect(ended()).toEqual([]);
  });
});
