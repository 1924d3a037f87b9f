/** Postern's API as clients outside the cluster use it, the mailboxes behind the relay, and a receiver of webhooks. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { until } from '../control-plane.mjs';
import { ROOT } from '../tools.mjs';
import { NODE_ADDRESS, PUBLIC_ADDRESS } from './settings.mjs';

const MAILBOXES = `http://${NODE_ADDRESS}:8025`;

export const call = async (method, url, body, headers = {}) => {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined,
  };
};

/** @throws with the reply unless it is a success. */
export const succeeded = ({ status, text, body }) => {
  if (status >= 400) throw new Error(`answered ${status}: ${text}`);
  return body;
};

/** The mail simulator in place of the internet: relay, mailboxes, and bounce reports. */
export const startMailWorld = async ({ supervised, cluster }) => {
  const bounces = await cluster.api('GET', '/api/v1/namespaces/postern/services/delivery-tracking');
  supervised.environment = {
    ...supervised.environment,
    POSTERN_SIMULATOR_HOST: NODE_ADDRESS,
    POSTERN_SIMULATOR_SMTP_PORT: '2525',
    POSTERN_SIMULATOR_HTTP_PORT: '8025',
    POSTERN_SIMULATOR_KEEP_MESSAGES: '100000',
    POSTERN_SIMULATOR_BOUNCE_HOST: bounces.spec.clusterIP,
    POSTERN_SIMULATOR_BOUNCE_PORT: '25',
  };
  supervised.start('mail-simulator', process.execPath, [join(ROOT, 'tools/mail-simulator/dist/main.js')]);
  await until('the mail simulator', () =>
    fetch(`${MAILBOXES}/messages`).then(
      () => true,
      () => false,
    ),
  );
};

/** The messages that the relay has accepted for an address. @returns {Promise<any>} */
export const mailbox = async address => (await fetch(`${MAILBOXES}/messages?to=${encodeURIComponent(address)}`)).json();

/** Receives webhooks. */
export const startReceiver = async () => {
  const calls = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', part => parts.push(part));
    request.on('end', () => {
      calls.push({ headers: request.headers, body: Buffer.concat(parts).toString('utf8') });
      response.end();
    });
  });
  await once(server.listen(0, PUBLIC_ADDRESS), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { calls, url: `http://${PUBLIC_ADDRESS}:${port}/hook` };
};

/** An operator who is signed in. */
export class Operator {
  constructor(base, token) {
    this.base = base;
    this.token = token;
  }

  static async signIn({ cluster }, namespace = 'postern') {
    const gateway = await cluster.api('GET', `/api/v1/namespaces/${namespace}/services/api-gateway`);
    const base = `http://${gateway.spec.clusterIP}`;
    const { data } = await cluster.api('GET', `/api/v1/namespaces/${namespace}/secrets/postern-platform-management`);
    const text = key => Buffer.from(data[key], 'base64').toString('utf8');
    const credentials = { email: text('operator-email'), password: text('operator-password') };
    const { token } = succeeded(await call('POST', `${base}/dashboard/api/session`, credentials));
    return new Operator(base, token);
  }

  async request(method, path, body) {
    const headers = { authorization: `Bearer ${this.token}` };
    return succeeded(await call(method, `${this.base}/dashboard/api${path}`, body, headers));
  }
}

/** An email service with a key, a verified recipient and a webhook for everything. */
export const makeSender = async (operator, address, hook) => {
  const service = await operator.request('POST', '/email-services', { name: `Check ${Date.now()}` });
  const path = `/email-services/${service.id}`;
  const { key } = await operator.request('POST', `${path}/api-keys`, { name: 'check' });
  const recipient = await operator.request('POST', `${path}/recipients`, { address });
  let code;
  await until('the code in the mailbox', async () => {
    code = (await mailbox(address)).at(-1)?.raw.match(/\b(\d{6})\b/)?.[1];
    return code;
  });
  await operator.request('POST', `${path}/recipients/${recipient.id}/verify`, { code });
  const events = ['delivered', 'bounced'];
  const webhook = hook && (await operator.request('POST', `${path}/webhooks`, { url: hook, events }));
  const send = (subject, headers = {}) => {
    const message = { from: 'Shop <orders@shop.test>', to: [address], subject, text: 'It came through.' };
    return call('POST', `${operator.base}/emails`, message, { 'api-key': key, ...headers });
  };
  return { service, path, key, secret: webhook?.secret, address, send, operator };
};
