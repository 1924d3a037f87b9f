import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rulesFor, selects } from './node/policies.mjs';

const pod = (namespace, podIP, labels, status = {}) => ({
  metadata: { namespace, labels },
  spec: {},
  status: { podIP, phase: 'Running', ...status },
});
const policy = (spec, namespace = 'postern') => ({ metadata: { namespace }, spec });
const namespaces = [{ metadata: { name: 'postern', labels: { 'kubernetes.io/metadata.name': 'postern' } } }];
const web = pod('postern', '10.244.0.2', { app: 'web' });
const database = pod('postern', '10.244.0.3', { app: 'database' });
const stranger = pod('other', '10.244.0.4', { app: 'web' });
const rules = (...policies) => rulesFor({ policies, pods: [web, database, stranger], namespaces }).split('\n');
const [allow, refuse] = ['-j MARK --set-xmark 0x100000/0x100000', '-j REJECT'];

describe('NetworkPolicies as iptables rules', () => {
  it('do not affect pods that no policy selects', () => {
    assert.doesNotMatch(rules().join('\n'), /REJECT/);
  });

  it('reject all traffic of a pod whose policy has no rules', () => {
    const found = rules(policy({ podSelector: { matchLabels: { app: 'database' } }, policyTypes: ['Ingress'] }));
    assert.ok(found.includes('-A POSTERN-POLICIES -d 10.244.0.3/32 -j PI-10.244.0.3'));
    assert.ok(found.includes(`-A PI-10.244.0.3 ${refuse}`));
    assert.ok(!found.some(line => line.endsWith(allow)));
  });

  it('allow pods that a selector matches in the same namespace, on the port of the rule only', () => {
    const ingress = [
      { ports: [{ protocol: 'TCP', port: 5432 }], from: [{ podSelector: { matchLabels: { app: 'web' } } }] },
    ];
    const found = rules(
      policy({ podSelector: { matchLabels: { app: 'database' } }, policyTypes: ['Ingress'], ingress }),
    );
    const allowing = found.filter(line => line.endsWith(allow));
    assert.deepEqual(allowing, [`-A PI-10.244.0.3 -p tcp --dport 5432 -s 10.244.0.2/32 ${allow}`]);
  });

  it('exclude the exceptions of an ipBlock before they allow the rest', () => {
    const egress = [
      { to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } }, { ipBlock: { cidr: '::/0' } }] },
    ];
    const found = rules(policy({ podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Egress'], egress }));
    const block = found.filter(line => line.startsWith('-A PE-10.244.0.2-0 '));
    assert.deepEqual(block, ['-A PE-10.244.0.2-0 -d 169.254.0.0/16 -j RETURN', `-A PE-10.244.0.2-0 ${allow}`]);
    assert.ok(found.includes('-A PE-10.244.0.2 -d 0.0.0.0/0 -j PE-10.244.0.2-0'));
  });

  it('clear the mark of the other direction', () => {
    const found = rules(policy({ podSelector: {}, policyTypes: ['Egress'] }));
    assert.equal(found.filter(line => line === '-A PE-10.244.0.2 -j MARK --set-xmark 0x0/0x100000').length, 1);
  });

  it('do not select pods that have ended', () => {
    const ended = pod('postern', '10.244.0.9', {}, { phase: 'Succeeded' });
    const found = rulesFor({
      policies: [policy({ podSelector: {}, policyTypes: ['Ingress'] })],
      pods: [ended],
      namespaces,
    });
    assert.doesNotMatch(found, /10\.244\.0\.9/);
  });

  it('evaluate label selectors as Kubernetes does', () => {
    assert.ok(selects({}, undefined));
    assert.ok(selects({ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['x'] }] }, {}));
    assert.ok(!selects({ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, {}));
    assert.ok(!selects({ matchLabels: { a: 'b' } }, { a: 'c' }));
  });
});
