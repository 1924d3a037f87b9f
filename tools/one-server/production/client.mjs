/** A client on the internet, which trusts the authority and nothing else. */
import { Agent, request } from 'node:https';
import { connect } from 'node:tls';
import { SERVER } from './machine.mjs';

export const HOST = 'postern.example.com';

/** An HTTPS request to the server. @returns status and body. @throws if there is no valid certificate for the host. */
export const call = (
  ca,
  method,
  path,
  { host = HOST, body, headers = {}, timeoutMs = 60_000, agent = new Agent({ keepAlive: false }) } = {},
) =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(
      {
        host: SERVER.address,
        port: 443,
        servername: host,
        method,
        path,
        ca,
        agent,
        headers: {
          host,
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
        timeout: timeoutMs,
      },
      response => {
        let received = '';
        response.setEncoding('utf8').on('data', chunk => {
          received += chunk;
        });
        response.on('end', () => {
          let json;
          try {
            json = JSON.parse(received);
          } catch {
            // Not every body is JSON.
          }
          resolve({ status: response.statusCode, text: received, json, headers: response.headers });
        });
        response.on('error', reject);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)));
    sent.on('error', reject);
    sent.end(text);
  });

/** The certificate that the server shows for a name; undefined if it refuses the name. */
export const certificateFor = (ca, name) =>
  new Promise(resolve => {
    const socket = connect({ host: SERVER.address, port: 443, servername: name, ca });
    const end = found => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(40_000, () => end(undefined));
    socket.once('error', () => end(undefined));
    socket.once('secureConnect', () => end(socket.authorized ? socket.getPeerCertificate() : undefined));
  });

/** The dashboard's API for one user, and the email API with a key. */
export class Client {
  constructor(ca) {
    this.ca = ca;
  }

  async expect(method, path, options) {
    const answer = await call(this.ca, method, path, options);
    if (answer.status >= 400)
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
    return answer.json;
  }

  async signIn(email, password) {
    this.token = (await this.expect('POST', '/dashboard/api/session', { body: { email, password } })).token;
  }

  dashboard(method, path, body) {
    return this.expect(method, `/dashboard/api${path}`, { body, headers: { authorization: `Bearer ${this.token}` } });
  }

  send(key, message, options = {}) {
    return call(this.ca, 'POST', '/emails', { body: message, headers: { 'api-key': key }, ...options });
  }

  email(key, id) {
    return this.expect('GET', `/emails/${id}`, { headers: { 'api-key': key } });
  }
}
