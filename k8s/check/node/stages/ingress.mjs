import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { demand } from '../../../../docker/check/report.mjs';
import { installDns } from '../dns.mjs';
import { CLASS, NAMESPACE, startIngress } from '../ingress/nginx.mjs';
import { eventually, WebService } from '../runtime/platform.mjs';
import { prepareRuntime, RUNTIME_SETTINGS, upgradeTrial } from '../runtime/prepare.mjs';
import { sample } from '../runtime/sample.mjs';
import { CUSTOM_DOMAIN } from '../settings.mjs';

export const name = 'ingress';
export const title =
  'the gateway and a web service are reached by their host names and a custom domain, over TLS, through an Ingress';

const HOST = 'mail.example.com';
const DOMAIN = 'apps.example.com';
const SETTINGS = [
  ['-f', 'k8s/examples/ingress.yaml'],
  ['--set', `runtime-agent.env.POSTERN_PLATFORM_DOMAIN=${DOMAIN}`],
  ['--set', `runtime-agent.env.POSTERN_KUBERNETES_INGRESS_CLASS=${CLASS}`],
].flat();

/** Asks the Ingress for a host, whose certificate is verified. */
const askFor = async ({ cluster, folder }, host, { method = 'GET', path = '/', headers = {}, body } = {}) => {
  const { spec } = await cluster.api('GET', `/api/v1/namespaces/${NAMESPACE}/services/nginx`);
  const ca = readFileSync(join(folder, 'ca.crt'));
  const options = { host: spec.clusterIP, servername: host, method, path, ca, headers: { host, ...headers } };
  return new Promise((resolve, reject) => {
    const sent = request(options, response => {
      response
        .setEncoding('utf8')
        .toArray()
        .then(chunks => {
          resolve({ status: response.statusCode, text: chunks.join('') });
        }, reject);
    });
    sent.once('error', reject).end(body);
  });
};

/** What a web service answers behind the Ingress. NetworkPolicies let a new pod of nginx through within a second or two. */
const versionBehind = (context, host) =>
  eventually(
    `an answer of ${host}`,
    async () => {
      const { status, text } = await askFor(context, host);
      if (status === 200) return JSON.parse(text).version;
      throw new Error(`${status} ${text}`);
    },
    30_000,
  );

/** A little less than the 10 MiB that the gateway takes. */
const largeMessage = address => {
  const text = `${'x'.repeat(71)}\n`.repeat(130_000);
  return JSON.stringify({ from: 'orders@shop.test', to: [address], subject: 'Large', text });
};

const gatewayIsReached = async context => {
  const { sender } = context.state;
  const dashboard = await askFor(context, HOST, { path: '/dashboard/' });
  demand(`https://${HOST} shows the dashboard, and its certificate verifies`, dashboard.status === 200, dashboard.text);
  const sent = await askFor(context, HOST, {
    method: 'POST',
    path: '/emails',
    headers: { 'api-key': sender.key, 'content-type': 'application/json' },
    body: largeMessage(sender.address),
  });
  demand('a message of the largest size passes the Ingress', sent.status === 200, `${sent.status} ${sent.text}`);
  const unknown = await askFor(context, 'elsewhere.apps.example.com');
  demand('a host without an Ingress is not found', unknown.status === 404, unknown.text);
};

const webServiceIsReached = async context => {
  const { git } = context.state;
  const settings = { name: 'My shop!', git_repository_url: git.commit('shop', sample('shop')) };
  const service = await WebService.create(context, settings);
  await service.deploy();
  const { url } = await service.read();
  const { host, protocol } = new URL(url);
  demand(`a web service has the address ${url}`, protocol === 'https:' && host.endsWith(`.${DOMAIN}`), url);
  const hosts = await startIngress(context);
  demand('its Ingress names its host', hosts.includes(host), hosts.join());
  demand('and it answers there, over TLS', (await versionBehind(context, host)) === 'shop');
  return service;
};

/** Hosts of the Ingresses of web services and their domains. */
const tenantsHosts = async ({ cluster }) => {
  const { items } = await cluster.api('GET', '/apis/networking.k8s.io/v1/namespaces/postern-tenants/ingresses');
  return items.flatMap(({ spec }) => spec.rules.map(({ host }) => host));
};

const customDomainIsReached = async (context, service) => {
  const { id, target } = await service.ask('POST', '/domains', { domain: CUSTOM_DOMAIN });
  const verify = () => service.ask('POST', `/domains/${id}/verify`);
  const early = await verify();
  demand(`a custom domain without its record is not routed: ${early.message}`, early.status === 'pending');
  await installDns(context, [`${CUSTOM_DOMAIN}. IN CNAME ${target}.`]);
  await eventually('the proof of the domain', async () => {
    const { status, message } = await verify();
    if (status === 'verified') return true;
    throw new Error(message);
  });
  const isRouted = async () => (await tenantsHosts(context)).includes(CUSTOM_DOMAIN);
  await eventually('its Ingress', async () => (await isRouted()) || undefined);
  await startIngress(context);
  const version = await versionBehind(context, CUSTOM_DOMAIN);
  demand(`with its CNAME record to ${target} it answers`, version === 'shop');
};

const leavesNothing = async (context, service) => {
  await service.ask('DELETE');
  await eventually('the end of its Ingresses', async () =>
    (await tenantsHosts(context)).length === 0 ? true : undefined,
  );
  demand('its deletion takes its hosts along', true);
  await installDns(context);
};

export const run = async context => {
  const { cluster, folder } = context;
  await prepareRuntime(context);
  const [certificate, key] = ['crt', 'key'].map(part => readFileSync(join(folder, `world.${part}`), 'utf8'));
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'mail-example-com-tls', namespace: 'postern' },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': certificate, 'tls.key': key },
  });
  await upgradeTrial(context, ...RUNTIME_SETTINGS, ...SETTINGS);
  await startIngress(context);
  await gatewayIsReached(context);
  const service = await webServiceIsReached(context);
  await customDomainIsReached(context, service);
  await leavesNothing(context, service);
  await upgradeTrial(context, ...RUNTIME_SETTINGS);
};
