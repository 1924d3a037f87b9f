/**
 * The check of everything under k8s: lints the charts, renders every command of Helm that a document gives, and holds the
 * result against Kubernetes' schemas, our rules, and the typed configuration of the services. `--cluster`
 * installs them into a real control plane as well; `--node [--if-cached] [stage…]` runs them on a real node, and nothing else;
 * `--write` copies k8s/values into the chart of the whole instead.
 */

import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { bootstrap, prepare } from '../../tools/setup/prepare.mjs';

// What the other files import is installed first.
await bootstrap(console.log);

if (process.argv.includes('--write')) {
  const { writeUmbrellaValues } = await import('./umbrella-values.mjs');
  writeUmbrellaValues();
} else if (process.argv.includes('--node')) {
  const { start } = await import('./node/start.mjs');
  await start(process.argv.slice(process.argv.indexOf('--node') + 1));
} else {
  // An older build would be checked in the place of the sources.
  await prepare(console.log);
  const { controlPlanePrograms, tools } = await import('./tools.mjs');
  const { schemas } = await import('./schemas.mjs');
  const { helm } = await import('./helm.mjs');
  // Once, before the test files run beside each other.
  tools();
  schemas();
  helm(['dependency', 'build', 'k8s/charts/postern']);
  const files = [
    'charts',
    'documented',
    'rules',
    'refusals',
    'configuration',
    'runtime',
    'runtime-role',
    'tenants',
    'processes',
    'node-policies',
    'node-documents',
    'node-load',
    'waiting',
  ];
  if (process.argv.includes('--cluster')) {
    controlPlanePrograms();
    files.push('cluster', 'runtime-cluster');
  }
  run({ files: files.map(name => join(import.meta.dirname, `${name}.test.mjs`)), concurrency: 2 })
    .on('test:fail', () => {
      process.exitCode = 1;
    })
    .compose(spec)
    .pipe(process.stdout);
}
