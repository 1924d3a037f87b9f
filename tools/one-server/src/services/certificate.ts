import { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { writeDurably } from '../machine/files.js';
import { run, systemctl } from '../machine/run.js';
import { PLACES } from '../rendering/places.js';

export interface ServedCertificate {
  readonly validFrom: string;
  readonly validUntil: string;
  readonly issuer: string;
  /** Whether clients of this machine trust it. */
  readonly trusted: boolean;
}

const CONNECT_WITHIN_MS = 3_000;

/** The certificate that this machine serves for a host; undefined if there is none. */
export const certificateOf = (host: string): Promise<ServedCertificate | undefined> =>
  new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port: 443, servername: host, rejectUnauthorized: false });
    const end = (found?: ServedCertificate) => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(CONNECT_WITHIN_MS, () => end());
    socket.once('error', () => end());
    socket.once('secureConnect', () => {
      const { valid_from, valid_to, issuer } = socket.getPeerCertificate();
      const [organization] = [issuer?.O ?? issuer?.CN ?? 'unknown'].flat();
      end({
        validFrom: new Date(valid_from).toISOString(),
        validUntil: new Date(valid_to).toISOString(),
        issuer: organization ?? 'unknown',
        trusted: socket.authorized,
      });
    });
  });

/** The newest certificate of a host in the storage of Caddy, with its key. */
const storedCertificate = (host: string): { readonly cert: string; readonly key: string } | undefined => {
  const [newest] = globSync(join(PLACES.caddy, 'certificates/*', host, `${host}.crt`)).sort(
    (one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs,
  );
  const key = newest?.replace(/\.crt$/, '.key');
  if (newest === undefined || key === undefined || !existsSync(key)) return undefined;
  return { cert: readFileSync(newest, 'utf8'), key: readFileSync(key, 'utf8') };
};

/**
 * `certificate renew`: gives SMTP submission the certificate that Caddy has obtained or renewed, and restarts the gateway,
 * which reads it at its start.
 */
export const renewSubmissionCertificate = async (host: string, print: (line: string) => void): Promise<void> => {
  const stored = storedCertificate(host);
  if (stored === undefined) {
    print('Caddy has no certificate yet.');
    return;
  }
  const [certFile, keyFile] = [join(PLACES.submissionTls, 'server.crt'), join(PLACES.submissionTls, 'server.key')];
  if (existsSync(certFile) && readFileSync(certFile, 'utf8') === stored.cert) return;
  if (!new X509Certificate(stored.cert).checkHost(host))
    throw new Error(`The certificate of Caddy is not for ${host}.`);
  // The key first: with a certificate that does not match, the next run writes both again.
  for (const [file, text] of [
    [keyFile, stored.key],
    [certFile, stored.cert],
  ] as const) {
    writeDurably(file, text, 0o640);
    chmodSync(file, 0o640);
    await run('chgrp', ['postern-api-gateway', file]);
  }
  await systemctl('restart', 'postern-api-gateway.service');
  print('SMTP submission has the new certificate.');
};
