import { DiagLogLevel, diag } from '@opentelemetry/api';
import { type Log, traceWith } from '@postern/messaging';
import type { HostConfig } from '../config/define-config.js';

export interface Tracing {
  /** Sends the remaining spans, for at most the timeout of one export. */
  close(): Promise<void>;
}

export interface TracingOptions extends Pick<HostConfig, 'traceRatio'> {
  /** Base URL of an OpenTelemetry collector; undefined turns tracing off. */
  readonly endpoint: string | undefined;
  readonly service: string;
  readonly log: Log;
}

const EXPORT_WITHIN_MS = 5_000;
/** Maximum number of queued spans; further ones are dropped. */
const MAX_WAITING = 8_192;

const off: Tracing = { close: async () => {} };

/** Sends spans to a collector by OTLP over HTTP. The SDK is loaded only if a collector is configured. */
export const startTracing = async ({ endpoint, traceRatio, service, log }: TracingOptions): Promise<Tracing> => {
  if (!endpoint) return off;
  const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  logErrorsTo(log);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_WITHIN_MS,
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.namespace': 'postern', 'service.name': service }),
    sampler: new sdk.AlwaysOnSampler(),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter,
        exportTimeoutMillis: EXPORT_WITHIN_MS,
        maxQueueSize: MAX_WAITING,
      }),
    ],
  });
  traceWith({ tracer: provider.getTracer('postern'), ratio: traceRatio });
  log.info({ ratio: traceRatio }, 'Traces are sent to the collector');
  return {
    async close() {
      traceWith(undefined);
      await provider.shutdown().catch(error => log.warn({ err: error }, 'The last spans could not be sent'));
      diag.disable();
    },
  };
};

const COMPLAIN_EVERY_MS = 60_000;

/** An unreachable collector fails every batch, so errors are logged at most once a minute. */
const logErrorsTo = (log: Log): void => {
  let complainedAt = Number.NEGATIVE_INFINITY;
  const complain = (message: string) => {
    if (performance.now() - complainedAt < COMPLAIN_EVERY_MS) return;
    complainedAt = performance.now();
    log.warn({ cause: message.slice(0, 500) }, 'OpenTelemetry reported an error; spans may be missing');
  };
  const ignore = () => {};
  const logger = { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
};
