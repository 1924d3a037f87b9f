import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startControlPlane } from './control-plane.mjs';
import { ROOT } from './tools.mjs';

/** Responses of metrics-server, as objects that the fake node creates. */
const podMetrics = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'pods.metrics.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
  spec: {
    group: 'metrics.k8s.io',
    scope: 'Namespaced',
    names: { plural: 'pods', singular: 'podmetrics', kind: 'PodMetrics', listKind: 'PodMetricsList' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('The Kubernetes runtime, against a real kube-apiserver', () => {
  let cluster;
  const folder = mkdtempSync(join(tmpdir(), 'postern-runtime-cluster-'));
  const file = join(folder, 'cluster.json');

  before(async () => {
    cluster = await startControlPlane({ fakeNodes: false });
    await cluster.api('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', podMetrics);
    await cluster.api('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'tenants' },
    });
    const { server, token, caFile, kubeconfig } = cluster;
    const access = { server, token, ca: readFileSync(caFile, 'utf8'), kubeconfig: readFileSync(kubeconfig, 'utf8') };
    writeFileSync(file, JSON.stringify(access), { mode: 0o600 });
  });

  after(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('passes the contract tests of a runtime', { timeout: 600_000 }, async () => {
    const jest = spawn(
      process.execPath,
      [
        join(ROOT, 'node_modules/jest/bin/jest.js'),
        '--selectProjects',
        'integration',
        '--testPathPatterns',
        'kubernetes-runtime.int.spec',
      ],
      { cwd: ROOT, env: { ...process.env, POSTERN_TEST_CLUSTER: file }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    for (const stream of [jest.stdout, jest.stderr])
      stream.setEncoding('utf8').on('data', text => {
        output += text;
      });
    const code = await new Promise(resolve => jest.once('close', resolve));
    assert.equal(code, 0, output);
    assert.match(output, /Tests: +\d+ passed/);
  });
});
