import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files of a certificate authority, and of a server and a client with certificates that it signed. */
export interface TestCertificates {
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

/** Needs `openssl`, because Node.js has no API for certificates. `name` is the subject alternative name of the server. */
export const createCertificates = (name: `DNS:${string}` | `IP:${string}`): TestCertificates => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-certificates-'));
  chmodSync(folder, 0o755);
  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args[0]} ended with ${status}: ${stderr}`);
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-days',
    '2',
    '-subj',
    '/CN=CA',
    '-keyout',
    path('ca.key'),
    '-out',
    path('ca.crt'),
  );
  writeFileSync(path('names'), `subjectAltName=${name}\n`);
  const issue = (role: string) => {
    const [cert, key, request] = [path(`${role}.crt`), path(`${role}.key`), path(`${role}.csr`)];
    openssl('req', ...newKey, '-subj', `/CN=${role}`, '-keyout', key, '-out', request);
    const signed = ['-in', request, '-CA', path('ca.crt'), '-CAkey', path('ca.key'), '-extfile', path('names')];
    openssl('x509', '-req', ...signed, '-days', '2', '-out', cert);
    return { cert, key };
  };
  return { ca: path('ca.crt'), server: issue('server'), client: issue('client') };
};
