import { parser } from '@prometheus-io/lezer-promql';

/** Replaces the variables of Prometheus and Grafana; any value is sufficient, because only the names are examined. */
const withoutVariables = (expression: string): string =>
  expression.replaceAll(/\[\$__\w+\]/g, '[5m]').replaceAll(/\$\w+/g, 'any');

/**
 * The metrics and labels in an expression.
 * @throws if it is not PromQL.
 */
export const namesIn = (expression: string): { readonly metrics: string[]; readonly labels: string[] } => {
  const text = withoutVariables(expression);
  const metrics = new Set<string>();
  const labels = new Set<string>();
  parser.parse(text).iterate({
    enter: ({ name, type, from, to, node }) => {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${text}`);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.add(text.slice(from, to));
      if (name === 'LabelName') labels.add(text.slice(from, to));
    },
  });
  return { metrics: [...metrics], labels: [...labels] };
};

const SERIES = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /;

/** The label names of each metric in the Prometheus text format. */
export const seriesIn = (exposition: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>();
  for (const line of exposition.split('\n')) {
    const [, name, labels = ''] = SERIES.exec(line) ?? [];
    if (!name) continue;
    const known = found.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    found.set(name, known);
  }
  return found;
};
