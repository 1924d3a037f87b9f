/**
 * Helm reads a dependency's values only from its parent chart, so the postern chart repeats k8s/values. This module keeps both
 * in sync: everything below the marker is a copy.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from './helm.mjs';
import { ROOT } from './tools.mjs';

const MARKER = '# The services, as k8s/values has them: `node k8s/check/check.mjs --write` copies them here.\n';
const file = join(ROOT, 'k8s/charts/postern/values.yaml');

export const presentValues = () => readFileSync(file, 'utf8');

/** The expected values.yaml of the postern chart. */
export const umbrellaValues = () => {
  const [own] = presentValues().split(MARKER);
  const blocks = SERVICES.map(service => {
    const values = readFileSync(join(ROOT, `k8s/values/${service}.yaml`), 'utf8');
    return `${service}:\n${values.replaceAll(/^(?=.)/gm, '  ')}`;
  });
  return `${own}${MARKER}${blocks.join('')}`;
};

/** Also copies the alerts, because Helm reads only files of the chart. */
export const writeUmbrellaValues = () => {
  writeFileSync(file, umbrellaValues());
  const alerts = readFileSync(join(ROOT, 'observability/prometheus/alerts.yaml'));
  writeFileSync(join(ROOT, 'k8s/charts/service/files/alerts.yaml'), alerts);
};
