import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { startControlPlane, until } from './control-plane.mjs';
import { alone, helmEnvironment, SERVICES, trial, whole } from './helm.mjs';
import { customResources } from './schemas.mjs';
import { ROOT, tools } from './tools.mjs';

const run = promisify(execFile);
const SECRETS = '/api/v1/namespaces/postern/secrets';

let cluster;
const api = (...request) => cluster.api(...request);
const helm = args =>
  run(tools().helm, args, { cwd: ROOT, env: { ...helmEnvironment, KUBECONFIG: cluster.kubeconfig } });
const install = (args, ...more) => helm(['upgrade', '--install', ...args, '--wait', '--timeout', '90s', ...more]);
const deployment = name => api('GET', `/apis/apps/v1/namespaces/postern/deployments/${name}`);
const imageOf = async name => (await deployment(name)).spec.template.spec.containers[0].image;
const podsOf = async name => {
  const { items } = await api(
    'GET',
    `/api/v1/namespaces/postern/pods?labelSelector=app.kubernetes.io%2Fname%3D${name}`,
  );
  return items.filter(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === 'service');
};
const dataOf = async secret => (await api('GET', `${SECRETS}/${secret}`)).data;

/** The permissions of a ServiceAccount, according to the API server. */
const may = async (account, verb, resource, namespace, group = '') => {
  const { status } = await api('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: `system:serviceaccount:postern:${account}`,
      resourceAttributes: { verb, resource, namespace, group },
    },
  });
  return status.allowed;
};

describe('A real kube-apiserver', { concurrency: false }, () => {
  before(async () => {
    cluster = await startControlPlane();
    for (const definition of customResources())
      await api('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await api('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      // The API server rejects pods that violate the restricted standard, so their Deployments never become ready.
      metadata: { name: 'postern', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
  });

  after(() => cluster?.stop());

  it('accepts the trial, and every Deployment becomes available under the restricted standard', async () => {
    await install(trial);
    for (const service of SERVICES) {
      const { status } = await deployment(service);
      // The autoscaler applies its minimum a little later.
      assert.ok(status.availableReplicas >= 1, service);
    }
  });

  it('rejects pods that violate the restricted standard', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'root' },
      spec: { containers: [{ name: 'root', image: 'x' }] },
    };
    await assert.rejects(api('POST', '/api/v1/namespaces/postern/pods', pod), /violates PodSecurity/);
  });

  it('keeps the random keys of a trial over upgrades and the uninstall', async () => {
    const before = await Promise.all(['postern-links', 'postern-email-send', 'postern-postgresql'].map(dataOf));
    await install(trial);
    await helm(['uninstall', 'postern', '--namespace', 'postern', '--wait']);
    const afterwards = await Promise.all(['postern-links', 'postern-email-send', 'postern-postgresql'].map(dataOf));
    assert.deepEqual(afterwards, before);
    await api('DELETE', SECRETS);
  });

  for (const example of ['brokers', 'ingress', 'gateway-api', 'monitoring', 'queue-autoscaling']) {
    it(`accepts the postern chart with examples/${example}.yaml`, async () => {
      await install([...whole, '-f', `k8s/examples/${example}.yaml`]);
    });
  }

  it('gives permissions only to runtime-agent, and only in the tenant namespace', async () => {
    assert.equal(await may('runtime-agent', 'create', 'deployments', 'postern-tenants', 'apps'), true);
    assert.equal(await may('runtime-agent', 'get', 'secrets', 'postern'), false);
    assert.equal(await may('runtime-agent', 'create', 'pods', 'postern-tenants'), false);
    assert.equal(await may('runtime-agent', 'get', 'nodes', ''), false);
    for (const service of SERVICES.filter(name => name !== 'runtime-agent'))
      assert.equal(await may(service, 'get', 'pods', 'postern'), false, service);
  });

  it('moves a service to a separate release without replacing a pod', async () => {
    const names = async () => (await podsOf('email-send')).map(({ metadata }) => metadata.name).sort();
    const serving = await names();
    const keep = { metadata: { annotations: { 'helm.sh/resource-policy': 'keep' } } };
    for (const path of [
      '/apis/apps/v1/namespaces/postern/deployments',
      '/api/v1/namespaces/postern/serviceaccounts',
      '/apis/networking.k8s.io/v1/namespaces/postern/networkpolicies',
      '/apis/policy/v1/namespaces/postern/poddisruptionbudgets',
      '/apis/autoscaling/v2/namespaces/postern/horizontalpodautoscalers',
    ])
      await api('PATCH', `${path}/email-send`, keep);
    await install([...whole, '--set', 'email-send.enabled=false']);
    assert.deepEqual(await names(), serving);
    await install(alone('email-send'), '--take-ownership');
    assert.deepEqual(await names(), serving);
    const { metadata } = await deployment('email-send');
    assert.equal(metadata.annotations['meta.helm.sh/release-name'], 'email-send');
  });

  it('upgrades one service after its migration, and does not change the others', async () => {
    const others = SERVICES.filter(name => name !== 'email-send');
    const before = await Promise.all(others.map(deployment));
    await install([...alone('email-send'), '--set', 'image.tag=1.4.0']);
    assert.match(await imageOf('email-send'), /:1\.4\.0$/);
    const afterwards = await Promise.all(others.map(deployment));
    assert.deepEqual(
      afterwards.map(({ metadata }) => metadata.generation),
      before.map(({ metadata }) => metadata.generation),
    );
  });

  it('keeps the running version when a migration fails', async () => {
    const serving = await podsOf('email-send');
    cluster.jobsFail = true;
    await assert.rejects(
      install([...alone('email-send'), '--set', 'image.tag=9.9.9,migrations.timeoutSeconds=10'], '--atomic'),
      /pre-upgrade hooks failed/,
    );
    cluster.jobsFail = false;
    assert.match(await imageOf('email-send'), /:1\.4\.0$/);
    assert.deepEqual(
      (await podsOf('email-send')).map(({ metadata }) => metadata.uid),
      serving.map(({ metadata }) => metadata.uid),
    );
  });

  it('rolls back to the previous release', async () => {
    await helm(['rollback', 'email-send', '1', '--namespace', 'postern', '--wait', '--timeout', '60s']);
    const { tag } = parse(readFileSync(join(ROOT, 'k8s/examples/installation.yaml'), 'utf8')).global.image;
    assert.ok((await imageOf('email-send')).endsWith(`:${tag}`));
  });

  it('keeps only the documented objects after an uninstall', async () => {
    await helm(['uninstall', 'postern', '--namespace', 'postern', '--wait']);
    await until('the end of the pods', async () => (await podsOf('api-gateway')).length === 0);
    const { items } = await api('GET', '/apis/apps/v1/namespaces/postern/deployments');
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['email-send'],
    );
    assert.equal((await api('GET', '/api/v1/namespaces/postern-tenants')).status.phase, 'Active');
  });
});
