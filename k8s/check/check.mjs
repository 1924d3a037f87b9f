/**
 * Checks k8s: charts, every documented command of Helm, schemas, rules and the configuration of services. `--cluster`
 * installs them into a control plane, `--node [--if-cached] [stage…]` runs them on a node, `--write` copies k8s/values and alerts.
 */

import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { bootstrap, prepare } from '../../tools/setup/prepare.mjs';

// The tools must be built before the other modules are imported.
await bootstrap(console.log);

if (process.argv.includes('--write')) {
  const { writeUmbrellaValues } = await import('./umbrella-values.mjs');
  writeUmbrellaValues();
} else if (process.argv.includes('--node')) {
  const { start } = await import('./node/start.mjs');
  await start(process.argv.slice(process.argv.indexOf('--node') + 1));
} else {
  // Without a build, the check would use outdated artefacts instead of the sources.
  await prepare(console.log);
  const { controlPlanePrograms, tools } = await import('./tools.mjs');
  const { schemas } = await import('./schemas.mjs');
  const { helm } = await import('./helm.mjs');
  // Runs once, before the test files run in parallel.
  tools();
  schemas();
  helm(['dependency', 'build', 'k8s/charts/postern']);
  const files = [
    'charts',
    'documented',
    'rules',
    'refusals',
    'configuration',
    'extension',
    'new-service',
    'published-chart',
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
