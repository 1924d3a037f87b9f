import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { writeChart } from '../../tools/releases/chart-folder.mjs';
import { alone, objectsOf, render, SERVICES, whole } from './helm.mjs';
import { ROOT } from './tools.mjs';

const temporary = mkdtempSync(join(tmpdir(), 'postern-charts-'));
after(() => rmSync(temporary, { recursive: true, force: true }));

const withValues = (args, values) => {
  const file = join(temporary, 'values.yaml');
  writeFileSync(file, stringify(values));
  return objectsOf(render([...args, '-f', file]));
};
const one = (objects, kind, name = 'email-send') =>
  objects.find(object => object.kind === kind && object.metadata.name === name);
const EMAIL_SEND = alone('email-send');

describe('An installation extends a service with', () => {
  const values = {
    extraEnv: [{ name: 'ZONE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
    extraEnvFrom: [{ configMapRef: { name: '{{ .Release.Name }}-more' } }],
    extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
    extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca', readOnly: true }],
    initContainers: [{ name: 'wait', image: 'busybox:1' }],
    sidecars: [{ name: 'proxy', image: 'proxy:1' }],
    hostAliases: [{ ip: '192.0.2.1', hostnames: ['relay.example.com'] }],
    topologySpreadConstraints: [
      { maxSkew: 2, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
    ],
    podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null },
    containerSecurityContext: { runAsNonRoot: true },
    runtimeClassName: 'gvisor',
    priorityClassName: 'mail',
    podLabels: { team: 'mail' },
    podAnnotations: { 'example.com/scrape': 'later' },
    commonLabels: { cost: 'mail' },
    commonAnnotations: { 'example.com/owner': 'mail' },
    extraObjects: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-more' }, data: { ZONE: 'a' } },
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: written }\n',
    ],
  };
  const objects = withValues(EMAIL_SEND, values);
  const { spec: pod, metadata } = one(objects, 'Deployment').spec.template;
  const service = pod.containers.find(({ name }) => name === 'service');

  it('environment variables', () => {
    assert.deepEqual(service.env.at(-1), values.extraEnv[0]);
    assert.deepEqual(service.envFrom, [{ configMapRef: { name: 'email-send-more' } }]);
  });

  it('volumes, in the Jobs as well', () => {
    for (const job of ['email-send-migration', 'email-send-upgrade-check'])
      assert.deepEqual(one(objects, 'Job', job).spec.template.spec.volumes.at(-1), values.extraVolumes[0]);
    assert.deepEqual(pod.volumes.at(-1), values.extraVolumes[0]);
    assert.deepEqual(service.volumeMounts.at(-1), values.extraVolumeMounts[0]);
  });

  it('containers', () => {
    assert.deepEqual(pod.initContainers, values.initContainers);
    assert.deepEqual(
      pod.containers.map(({ name }) => name),
      ['service', 'proxy'],
    );
  });

  it('fields of the pod', () => {
    assert.deepEqual(pod.hostAliases, values.hostAliases);
    assert.equal(pod.runtimeClassName, 'gvisor');
    assert.equal(pod.priorityClassName, 'mail');
    assert.deepEqual(pod.securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    assert.equal(service.securityContext.runAsNonRoot, true);
    assert.equal(service.securityContext.readOnlyRootFilesystem, true);
  });

  it('constraints on its own pods', () => {
    const [constraint] = pod.topologySpreadConstraints;
    assert.equal(constraint.topologyKey, 'topology.kubernetes.io/zone');
    assert.equal(constraint.labelSelector.matchLabels['app.kubernetes.io/instance'], 'email-send');
  });

  it('labels and annotations', () => {
    assert.equal(metadata.labels.team, 'mail');
    assert.equal(metadata.annotations['example.com/scrape'], 'later');
    const own = objects.filter(object => object.kind !== 'ConfigMap');
    assert.ok(own.length > 4);
    for (const object of own) {
      assert.equal(object.metadata.labels.cost, 'mail', object.kind);
      assert.equal(object.metadata.annotations['example.com/owner'], 'mail', object.kind);
    }
    assert.equal(one(objects, 'Deployment').spec.selector.matchLabels.cost, undefined);
  });

  it('further objects', () =>
    assert.deepEqual(
      objects.filter(({ kind }) => kind === 'ConfigMap').map(object => object.metadata.name),
      ['email-send-more', 'written'],
    ));

  it('metrics of its autoscaler, beside the CPU', () => {
    const queue = {
      type: 'External',
      external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '100' } },
    };
    const behavior = { scaleDown: { stabilizationWindowSeconds: 600 } };
    const scaled = withValues(EMAIL_SEND, { autoscaling: { metrics: [queue], behavior } });
    const { spec } = one(scaled, 'HorizontalPodAutoscaler');
    assert.deepEqual(
      spec.metrics.map(metric => metric.type),
      ['Resource', 'External'],
    );
    assert.deepEqual(spec.metrics[1], queue);
    assert.deepEqual(spec.behavior, behavior);
    assert.throws(() => withValues(EMAIL_SEND, { autoscaling: { metrics: [{ type: 'Queue' }] } }), /autoscaling/);
  });

  it('and nothing unless it asks for it', () => {
    const { spec, metadata: plain } = one(objectsOf(render(EMAIL_SEND)), 'Deployment').spec.template;
    assert.equal(spec.containers.length, 1);
    assert.equal(spec.initContainers, undefined);
    assert.equal(plain.annotations, undefined);
    assert.deepEqual(
      spec.topologySpreadConstraints.map(({ topologyKey }) => topologyKey),
      ['kubernetes.io/hostname'],
    );
  });
});

describe('Before an upgrade', () => {
  const jobOf = args => one(objectsOf(render(args)), 'Job', 'email-send-upgrade-check');

  it('a service asks which releases run, as its own user of NATS', () => {
    const { spec, metadata } = jobOf(EMAIL_SEND);
    const [container] = spec.template.spec.containers;
    assert.equal(metadata.annotations['helm.sh/hook'], 'pre-upgrade');
    assert.deepEqual(container.args, ['postern.js', 'can-deploy']);
    assert.deepEqual(
      container.env.map(({ name }) => name).filter(name => /USER|PASSWORD|SERVERS/.test(name)),
      ['POSTERN_NATS_SERVERS', 'POSTERN_NATS_PASSWORD', 'POSTERN_NATS_USER'],
    );
  });

  it('the postern chart upgrades all services together', () =>
    assert.deepEqual(jobOf(whole).spec.template.spec.containers[0].args, ['postern.js', 'can-deploy', '--together']));

  it('nothing is asked if the installation does not want it', () =>
    assert.equal(jobOf([...EMAIL_SEND, '--set', 'upgradeCheck.enabled=false']), undefined));
});

describe('The alerts of the charts', () => {
  const rulesOf = object => object.spec.groups.flatMap(({ rules }) => rules);
  const ruleOf = (service, ...args) =>
    one(
      objectsOf(render([...alone(service), '--set', 'prometheusRule.enabled=true', ...args])),
      'PrometheusRule',
      service,
    );
  const all = parse(readFileSync(join(ROOT, 'observability/prometheus/alerts.yaml'), 'utf8')).groups.flatMap(
    ({ rules }) => rules,
  );

  it('are those of the file, each with one service', () => {
    const found = SERVICES.flatMap(service => {
      const object = ruleOf(service);
      return object ? rulesOf(object).map(({ alert }) => alert) : [];
    });
    // There is no load balancer in a cluster.
    const expected = all.filter(({ labels }) => labels.service !== 'load-balancer');
    assert.deepEqual(found.sort(), expected.map(({ alert }) => alert).sort());
  });

  it('link to the installation', () => {
    const [rule] = rulesOf(
      ruleOf('webhook-dispatch', '--set', 'prometheusRule.grafanaUrl=https://graphs.example.com/'),
    );
    assert.equal(rule.annotations.runbook_url, 'https://mail.example.com/docs/runbooks#posternwebhooksbehind');
    assert.equal(rule.annotations.dashboard_url, 'https://graphs.example.com/d/postern-emails');
    assert.equal(rule.annotations.summary, 'Webhook deliveries are {{ $value | humanizeDuration }} late');
  });

  it('get the labels of the installation, and can be left out', () => {
    const args = ['--set', 'prometheusRule.alertLabels.team=mail', '--set', 'prometheusRule.disabled={PosternBounces}'];
    const rules = rulesOf(ruleOf('delivery-tracking', ...args));
    assert.deepEqual(
      rules.map(({ alert, labels }) => [alert, labels.team, labels.severity]),
      [
        ['PosternComplaints', 'mail', 'ticket'],
        ['PosternErrorBudgetFast', 'mail', 'page'],
        ['PosternErrorBudgetSlow', 'mail', 'ticket'],
      ],
    );
  });
});

describe('The chart of a release', () => {
  const folder = join(temporary, 'email-send');
  const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
  writeChart(ROOT, folder, { service: 'email-send', version: '0.3.0', digest });
  const [release, , ...rest] = EMAIL_SEND;
  // Without k8s/values, which the chart contains.
  const args = [release, folder, ...rest.slice(0, -2)];

  it('renders what the chart of the checkout does with the values of the service, for the image of the release', () => {
    const expected = render([...EMAIL_SEND, '--set', 'image.tag=0.3.0', '--set', `image.digest=${digest}`]);
    const sources = /^# Source: .*$/gm;
    const versions = /helm.sh\/chart: .*/g;
    const plain = text => objectsOf(text.replaceAll(sources, '').replaceAll(versions, 'helm.sh/chart: x'));
    assert.deepEqual(plain(render(args)), plain(expected));
  });

  it('does not exist for a package', () =>
    assert.throws(
      () => writeChart(ROOT, join(temporary, 'sdk'), { service: 'sdk', version: '0.3.0' }),
      /has no chart/,
    ));
});
