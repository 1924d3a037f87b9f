import assert from 'node:assert/strict';
import { BlockList, isIPv6 } from 'node:net';
import { describe, it } from 'node:test';
import { objectsOf, render, whole } from './helm.mjs';
import { selects } from './node/policies.mjs';

const WEB = { 'postern.dev/web-service': 'shop' };
const BUILDS = [{ 'postern.dev/build': 'first' }, { 'postern.dev/source': 'second' }];

const policiesWith = (...settings) =>
  objectsOf(render([...whole, ...settings])).filter(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.namespace === 'postern-tenants',
  );

const listOf = cidrs => {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address, bits] = cidr.split('/');
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
};
const isIn = (address, cidrs) => listOf(cidrs).check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

const matches = (peer, { address, namespace, labels }) => {
  if (peer.ipBlock)
    return address !== undefined && isIn(address, [peer.ipBlock.cidr]) && !isIn(address, peer.ipBlock.except ?? []);
  if (labels === undefined) return false;
  const isInNamespace = peer.namespaceSelector
    ? selects(peer.namespaceSelector, { 'kubernetes.io/metadata.name': namespace })
    : namespace === 'postern-tenants';
  return isInNamespace && selects(peer.podSelector ?? {}, labels);
};

/** Whether a pod with these labels may open a connection. */
const reaches = (policies, labels, target, port = 443) =>
  policies
    .filter(({ spec }) => spec.policyTypes.includes('Egress') && selects(spec.podSelector, labels))
    .flatMap(({ spec }) => spec.egress)
    .some(
      ({ to, ports }) =>
        (!ports || ports.some(each => each.port === port)) && (!to || to.some(peer => matches(peer, target))),
    );

const REFUSED = {
  'the Service of the Kubernetes API': '10.96.0.1',
  'a kubelet': '172.31.4.7',
  'a machine of the network': '192.168.1.20',
  'an address of a provider': '100.64.9.9',
  'the credentials of most clouds': '169.254.169.254',
  'the credentials of Alibaba Cloud': '100.100.100.200',
  'the credentials of Oracle Cloud': '192.0.0.192',
  'the credentials of Azure': '168.63.129.16',
  'a pod with an IPv6 address': 'fd12:3456::7',
  'a link-local IPv6 address': 'fe80::1',
  'the credentials of Amazon over IPv6': 'fd00:ec2::254',
  'a private address behind NAT64': '64:ff9b::10.1.2.3',
  'the credentials of Azure behind NAT64': '64:ff9b::168.63.129.16',
  'a private address behind 6to4': '2002:a00:1::1',
};
const PUBLIC = ['93.184.215.14', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '64:ff9b::93.184.215.14'];
const DATABASE = { namespace: 'databases', labels: { 'cnpg.io/cluster': 'orders' } };

describe('Egress of tenant pods', () => {
  const usual = policiesWith();

  for (const [what, address] of Object.entries(REFUSED))
    it(`excludes ${what}`, () => {
      for (const labels of [WEB, ...BUILDS]) assert.equal(reaches(usual, labels, { address }), false);
    });

  it('includes every public address', () => {
    for (const address of PUBLIC)
      for (const labels of [WEB, ...BUILDS]) assert.equal(reaches(usual, labels, { address }), true, address);
  });

  it('includes the gateway, but no other service of Postern, and no tenant pod', () => {
    const serviceOf = name => ({
      namespace: 'postern',
      labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/component': 'service' },
    });
    assert.equal(reaches(usual, WEB, serviceOf('api-gateway'), 8080), true);
    assert.equal(reaches(usual, WEB, serviceOf('api-gateway'), 9090), false);
    assert.equal(reaches(usual, WEB, serviceOf('platform-management'), 8080), false);
    assert.equal(reaches(usual, WEB, { namespace: 'strangers', labels: serviceOf('api-gateway').labels }, 8080), false);
    assert.equal(reaches(usual, WEB, { namespace: 'postern-tenants', labels: WEB }, 8080), false);
    assert.equal(reaches(usual, WEB, DATABASE, 5432), false);
  });

  it('includes the peers of tenants.egressTo', () => {
    const added = policiesWith(
      ...['--set', 'tenants.egressTo[0].namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name=databases'],
      ...['--set', 'tenants.egressTo[1].ipBlock.cidr=10.8.0.0/16'],
    );
    assert.equal(reaches(added, WEB, DATABASE, 5432), true);
    assert.equal(reaches(added, WEB, { address: '10.8.3.4' }), true);
    assert.equal(reaches(added, WEB, { address: '10.9.3.4' }), false);
  });

  it('includes the peers of tenants.buildEgressTo, only for builds and repository lookups', () => {
    const added = policiesWith('--set', 'tenants.buildEgressTo[0].ipBlock.cidr=10.200.0.1/32');
    for (const labels of BUILDS) assert.equal(reaches(added, labels, { address: '10.200.0.1' }), true);
    assert.equal(reaches(added, WEB, { address: '10.200.0.1' }), false);
  });

  it('excludes the networks of tenants.egressExcept', () => {
    const added = policiesWith('--set', 'tenants.egressExcept={93.184.215.0/24,2606:4700::/32}');
    assert.equal(reaches(added, WEB, { address: '93.184.215.14' }), false);
    assert.equal(reaches(added, WEB, { address: '2606:4700::1111' }), false);
    assert.equal(reaches(added, WEB, { address: '93.184.216.14' }), true);
  });
});
