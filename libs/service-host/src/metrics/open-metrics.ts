import type { Attributes, AttributeValue } from '@opentelemetry/api';

/** A measurement of a recorded trace, as an example of its bucket. */
export interface Exemplar {
  readonly traceId: string;
  readonly value: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
export const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** Whether an Accept header prefers OpenMetrics to the text format, as that of Prometheus does. */
export const prefersOpenMetrics = (accept = ''): boolean => {
  const quality = (type: string): number => {
    const range = accept.split(',').find(one => one.trim().toLowerCase().split(/[\s;]/)[0] === type);
    return range === undefined ? 0 : Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1);
  };
  const wanted = quality('application/openmetrics-text');
  return wanted > 0 && wanted >= quality('text/plain');
};

/** Numbers of OpenMetrics have a fraction: `1.0`. */
const boundaryText = (boundary: number | undefined): string => {
  if (boundary === undefined || boundary === Number.POSITIVE_INFINITY) return '+Inf';
  return Number.isInteger(boundary) ? boundary.toFixed(1) : String(boundary);
};

/** A label value as the serializer of OpenTelemetry writes it. */
const escaped = (value: AttributeValue | undefined): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
};

const keyOf = (metric: string, labels: readonly string[], boundary: string): string =>
  [metric, boundary, ...[...labels].sort()].join(' ');

/** Identifies a bucket of a series of a histogram. @param boundary upper limit of the bucket; undefined for the last one */
export const bucketKeyOf = (metric: string, attributes: Attributes, boundary: number | undefined): string => {
  const labels = Object.entries(attributes).map(([name, value]) => `${sanitized(name)}="${escaped(value)}"`);
  return keyOf(sanitized(metric), labels, boundaryText(boundary));
};

const sanitized = (name: string): string => name.replaceAll(/[\W_]+/g, '_');

const BUCKET = /^(\w+)_bucket\{(.*)\} (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
/** Labels of all lines, which are not attributes of the measurement. */
const CONSTANT_LABELS = new Set(['service_name', 'le']);

const bucketLine = (line: string, exemplars: ReadonlyMap<string, Exemplar>): string => {
  const [, metric = '', text = '', count] = BUCKET.exec(line) ?? [];
  const labels = [...text.matchAll(LABEL)];
  const le = labels.find(([, name]) => name === 'le')?.[2];
  const boundary = boundaryText(le === undefined || le === '+Inf' ? undefined : Number(le));
  const attributes = labels.filter(([, name = '']) => !CONSTANT_LABELS.has(name)).map(([label]) => label);
  const canonical = `${metric}_bucket{${text.replace(/le="[^"]*"$/, `le="${boundary}"`)}} ${count}`;
  const exemplar = exemplars.get(keyOf(metric, attributes, boundary));
  if (!exemplar) return canonical;
  return `${canonical} # {trace_id="${exemplar.traceId}"} ${exemplar.value} ${exemplar.at / 1_000}`;
};

/**
 * The text format of Prometheus as OpenMetrics 1.0, with exemplars by `bucketKeyOf`. Differences: a counter is named without
 * `_total`, boundaries have a fraction, no units, because they are not part of the names, and a line that ends the document.
 */
export const openMetricsOf = (text: string, exemplars: ReadonlyMap<string, Exemplar>): string => {
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap(line => {
      if (line.startsWith('# UNIT ')) return [];
      if (line.startsWith('# TYPE '))
        return [line.replace(/_total counter$/, ' counter').replace(/ untyped$/, ' unknown')];
      if (line.startsWith('# HELP ')) return [line.replace(/^(# HELP \w+?)_total /, '$1 ').replaceAll('"', '\\"')];
      return BUCKET.test(line) ? [bucketLine(line, exemplars)] : [line];
    });
  return `${[...lines, '# EOF'].join('\n')}\n`;
};
