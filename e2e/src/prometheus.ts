import { parser } from '@prometheus-io/lezer-promql';

/** What Prometheus and Grafana put in before they ask; any value does where only the names are looked at. */
const withoutVariables = (expression: string): string =>
  expression.replaceAll(/\[\$__\w+\]/g, '[5m]').replaceAll(/\$\w+/g, 'any');

/**
 * The metrics and labels that an expression names.
 * @throws where it is not PromQL.
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

/** The label names of each metric in a text that Prometheus could read. */
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
