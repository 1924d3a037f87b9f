import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { demand } from '../../../../docker/check/report.mjs';
import { installDns } from '../dns.mjs';
import { CONTROLS, DOMAIN } from '../ingress/controls.mjs';
import { installTraefik } from '../ingress/traefik.mjs';
import { eventually, WebService } from '../runtime/platform.mjs';
import { prepareRuntime, RUNTIME_SETTINGS, upgradeTrial } from '../runtime/prepare.mjs';
import { sample } from '../runtime/sample.mjs';
import { CUSTOM_DOMAIN } from '../settings.mjs';

export const name = 'ingress';
export const title =
  'the gateway and a web service are reached by host names and a custom domain, over TLS, through Ingresses and HTTPRoutes';

const HOST = 'mail.example.com';

/** Sends a request for a host to Traefik, and verifies the certificate. */
const callHost = (
  { folder, traefik },
  host,
  { method = 'GET', path = '/', headers = {}, body } = /** @type {any} */ ({}),
) => {
  const ca = readFileSync(join(folder, 'ca.crt'));
  const options = { host: traefik, servername: host, method, path, ca, headers: { host, ...headers } };
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

/** Traefik polls for changes every two seconds, and NetworkPolicies take as long to allow its pod. */
const answerOf = (context, host, expected, path = '/') =>
  eventually(
    `${expected} from https://${host}${path}`,
    async () => {
      const { status, text } = await callHost(context, host, { path });
      if (status === expected) return text;
      throw new Error(`${status} ${text.slice(0, 200)}`);
    },
    30_000,
  );

const versionBehind = async (context, host) => JSON.parse(await answerOf(context, host, 200)).version;

/** Waits until the object of a host exists, and its status shows that the controller serves it. */
const untilServed = ({ cluster }, { kind, path, hostsOf, isServed }, host) =>
  eventually(`the ${kind} of ${host}`, async () => {
    const found = (await cluster.api('GET', path)).items.find(object => hostsOf(object).includes(host));
    if (found && isServed(found)) return true;
    throw new Error(found ? `its status is ${JSON.stringify(found.status)}` : 'there is none');
  });

/** Just below the gateway's limit of 10 MiB. */
const largeMessage = (address, kind) => {
  const text = `${'x'.repeat(71)}\n`.repeat(130_000);
  return JSON.stringify({ from: 'orders@shop.test', to: [address], subject: `Large, by ${kind}`, text });
};

const gatewayIsReached = async (context, control) => {
  const { sender } = context.state;
  await untilServed(context, control, HOST);
  await answerOf(context, HOST, 200, '/dashboard/');
  demand(`https://${HOST} shows the dashboard, and its certificate verifies`, true);
  const sent = await callHost(context, HOST, {
    method: 'POST',
    path: '/emails',
    headers: { 'api-key': sender.key, 'content-type': 'application/json' },
    body: largeMessage(sender.address, control.kind),
  });
  demand('a message of the largest size passes', sent.status === 200, `${sent.status} ${sent.text}`);
  const unknown = await callHost(context, 'elsewhere.apps.example.com');
  demand('a host that nothing names is not found', unknown.status === 404, unknown.text);
};

const webServiceIsReached = async (context, control) => {
  const { git } = context.state;
  const settings = { name: `My ${control.kind} shop!`, git_repository_url: git.commit('shop', sample('shop')) };
  const service = await WebService.create(context, settings);
  await service.deploy();
  const { url } = await service.read();
  const { host, protocol } = new URL(url);
  demand(`a web service has the address ${url}`, protocol === 'https:' && host.endsWith(`.${DOMAIN}`), url);
  await untilServed(context, control, host);
  demand('and it answers there, over TLS', (await versionBehind(context, host)) === 'shop');
  return { service, host };
};

const customDomainIsReached = async (context, control, service) => {
  const { id, target } = await service.request('POST', '/domains', { domain: CUSTOM_DOMAIN });
  const verify = () => service.request('POST', `/domains/${id}/verify`);
  const early = await verify();
  demand(`a custom domain without its record is not routed: ${early.message}`, early.status === 'pending');
  await installDns(context, [`${CUSTOM_DOMAIN}. IN CNAME ${target}.`]);
  await eventually('the proof of the domain', async () => {
    const { status, message } = await verify();
    if (status === 'verified') return true;
    throw new Error(message);
  });
  await untilServed(context, control, CUSTOM_DOMAIN);
  const version = await versionBehind(context, CUSTOM_DOMAIN);
  demand(`with its CNAME record to ${target} it answers`, version === 'shop');
};

const leavesNothing = async (context, { path, kind }, { service, host }) => {
  await service.request('DELETE');
  const left = async () =>
    (await context.cluster.api('GET', path)).items.filter(({ metadata }) => metadata.namespace === 'postern-tenants');
  await eventually(`the end of its ${kind}s`, async () => ((await left()).length === 0 ? true : undefined));
  for (const each of [host, CUSTOM_DOMAIN]) await answerOf(context, each, 404);
  demand('after its deletion its hosts are not found', true);
  await installDns(context);
};

const isServedBy = async (context, control) => {
  await upgradeTrial(context, ...RUNTIME_SETTINGS, ...control.settings);
  for (const { kind, path } of CONTROLS.filter(each => each !== control)) {
    const { items } = await context.cluster.api('GET', path);
    demand(`no ${kind} serves beside the ${control.kind}`, items.length === 0, JSON.stringify(items));
  }
  await gatewayIsReached(context, control);
  const shop = await webServiceIsReached(context, control);
  await customDomainIsReached(context, control, shop.service);
  await leavesNothing(context, control, shop);
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
  const reached = { ...context, traefik: await installTraefik(context) };
  for (const control of CONTROLS) await isServedBy(reached, control);
  await upgradeTrial(context, ...RUNTIME_SETTINGS);
};
