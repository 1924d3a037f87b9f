import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { find, objectsOf, render, whole } from './helm.mjs';
import { broken, RULES } from './rules.mjs';

const rendered = render(whole);
const pod = (objects, name) => find(objects, 'Deployment', name).spec.template.spec;
const container = (objects, name) => pod(objects, name).containers[0];

/** For each rule, changes that break it, each with a text of the violation. */
const VIOLATIONS = {
  'pods keep the restricted standard': [
    [
      objects => delete pod(objects, 'email-send').securityContext.runAsNonRoot,
      'Deployment email-send may run as root',
    ],
    [objects => delete container(objects, 'email-send').securityContext, 'can write to its root file system'],
  ],
  'containers are bounded and probed': [
    [objects => delete container(objects, 'api-gateway').readinessProbe, 'Deployment api-gateway is not probed'],
    [objects => delete container(objects, 'api-gateway').resources.limits, 'may take all memory'],
    [
      objects => {
        container(objects, 'email-send').livenessProbe.failureThreshold = 3;
      },
      'Deployment email-send is restarted by a short pause',
    ],
  ],
  'secrets are referred to': [
    [
      objects =>
        container(objects, 'email-send').env.push({ name: 'POSTERN_RELAYS', value: 'smtp://user:password@relay' }),
      'Deployment email-send spells out POSTERN_RELAYS',
    ],
  ],
  'a variable is set once': [
    [objects => container(objects, 'email-send').env.push({ name: 'NODE_ENV', value: 'test' }), 'sets NODE_ENV twice'],
  ],
  'every pod is behind a NetworkPolicy': [
    [
      objects => find(objects, 'NetworkPolicy', 'email-send').spec.policyTypes.pop(),
      'Deployment email-send has no policy for Egress',
    ],
  ],
  'only the gateway and the bounce listener face outward': [
    [
      objects => {
        find(objects, 'NetworkPolicy', 'email-send').spec.ingress = [{ ports: [{ port: 9090 }] }];
      },
      'NetworkPolicy email-send lets everybody in',
    ],
    [
      objects => find(objects, 'NetworkPolicy', 'api-gateway').spec.ingress[0].ports.push({ port: 9090 }),
      'NetworkPolicy api-gateway lets everybody in',
    ],
  ],
  'only runtime-agent speaks to Kubernetes': [
    [objects => delete pod(objects, 'email-send').automountServiceAccountToken, 'Deployment email-send gets a token'],
    [objects => find(objects, 'Role', 'runtime-agent').rules[0].verbs.push('*'), 'has a right to everything'],
    [
      objects => {
        find(objects, 'RoleBinding', 'runtime-agent').metadata.namespace = 'postern';
      },
      'reaches the Secrets of Postern',
    ],
  ],
  'what selects finds': [
    [
      objects => {
        find(objects, 'Service', 'api-gateway').spec.ports[0].targetPort = 'web';
      },
      'leads to the port web, which is not there',
    ],
    [
      objects => {
        find(objects, 'PodDisruptionBudget', 'email-send').spec.selector.matchLabels['app.kubernetes.io/name'] = 'x';
      },
      'PodDisruptionBudget email-send selects no pods',
    ],
  ],
  'an autoscaler alone says how many': [
    [
      objects => {
        find(objects, 'Deployment', 'email-send').spec.replicas = 2;
      },
      'Deployment email-send has replicas beside an autoscaler',
    ],
  ],
  'a database is migrated before its service is replaced': [
    [
      objects => {
        find(objects, 'Job', 'email-send-migration').metadata.annotations['helm.sh/hook'] = 'post-upgrade';
      },
      'Deployment email-send is replaced without a migration',
    ],
  ],
  'names are taken once': [
    [objects => objects.push(find(objects, 'Service', 'api-gateway')), 'Service api-gateway is there twice'],
  ],
};

describe('The rules', () => {
  it('pass for the documented postern chart', () => {
    assert.deepEqual(broken(objectsOf(rendered)), []);
  });

  for (const rule of Object.keys(RULES)) {
    it(`${rule}: a violation is reported`, () => {
      assert.ok(VIOLATIONS[rule]?.length > 0, 'no violation is listed');
      for (const [violate, details] of VIOLATIONS[rule]) {
        const objects = objectsOf(rendered);
        violate(objects);
        const caught = broken(objects);
        assert.ok(
          caught.some(line => line.startsWith(rule) && line.includes(details)),
          `${details}: ${caught.join('; ') || 'nothing caught'}`,
        );
      }
    });
  }
});
