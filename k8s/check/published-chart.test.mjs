import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { writeChart } from '../../tools/releases/chart-folder.mjs';
import { pushChart } from '../../tools/releases/push-chart.mjs';
import { Repository } from '../../tools/releases/registry.mjs';
import { valuesOf } from '../../tools/releases/set-file.mjs';
import { sign, verify } from '../../tools/releases/signature.mjs';
import { alone, built, find, helm, objectsOf, render } from './helm.mjs';
import { ROOT, tools } from './tools.mjs';

const { ScratchRegistry } = await built('tools/releases/dist/testing/scratch-registry.js');
const folder = mkdtempSync(join(tmpdir(), 'postern-charts-'));
const registry = await ScratchRegistry.start(folder);
after(() => {
  registry.stop();
  rmSync(folder, { recursive: true, force: true });
});

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const service = 'webhook-dispatch';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

describe('The chart of a release in a registry', () => {
  const repository = new Repository(`${registry.address}/postern/charts/${service}`);
  writeChart(ROOT, join(folder, service), { service, version: '0.3.0', digest });
  helm(['package', join(folder, service), '--destination', folder]);
  let pushed;

  it('is pulled by Helm with its version, by tag and by digest', async () => {
    pushed = await pushChart(repository, join(folder, `${service}-0.3.0.tgz`), tools().helm);
    const address = `oci://${repository.name}`;
    const references = { tag: [address, '--version', '0.3.0'], digest: [`${address}@${pushed.digest}`] };
    for (const [place, reference] of Object.entries(references))
      helm(['pull', ...reference, '--plain-http', '--destination', join(folder, place), '--untar']);
    const shown = helm(['show', 'chart', join(folder, 'digest', service)]);
    assert.match(shown, /^version: 0\.3\.0$/m);
    assert.match(shown, /^appVersion: 0\.3\.0$/m);
  });

  it('is signed', async () => {
    await sign(repository, pushed.digest, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await verify(repository, pushed.digest, publicKey.export({ type: 'spki', format: 'pem' }));
  });

  it('renders the image of the release by digest, without a checkout', () => {
    const [release, , ...rest] = alone(service);
    const rendered = objectsOf(render([release, join(folder, 'digest', service), ...rest.slice(0, -2)]));
    const { spec } = find(rendered, 'Deployment', service);
    assert.ok(spec.template.spec.containers[0].image.endsWith(`@${digest}`));
  });
});

describe('A set of releases', () => {
  it('selects the images of the postern chart', () => {
    const image = { repository: 'registry.example.com/postern/webhook-dispatch', digest };
    const file = join(folder, 'set.yaml');
    writeFileSync(file, valuesOf({ version: '0.3.0', releases: [{ service, version: '0.3.1', image, chart: {} }] }));
    const whole = ['postern', 'k8s/charts/postern', '--namespace', 'postern', '-f', 'k8s/examples/installation.yaml'];
    const rendered = objectsOf(render([...whole, '-f', 'k8s/examples/brokers.yaml', '-f', file]));
    const { spec } = find(rendered, 'Deployment', service);
    assert.equal(spec.template.spec.containers[0].image, `${image.repository}@${digest}`);
  });
});
