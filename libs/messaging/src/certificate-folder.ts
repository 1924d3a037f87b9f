import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type CertificateAndKey, createAuthority, createServerCertificate } from './certificates.js';

/** Paths of the PEM files of a server. Clients need `ca` only. */
export interface CertificateFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** Whether this call created or renewed the certificate of the server. */
  readonly renewed: boolean;
}

/** A certificate authority, and the file of its certificate. */
export interface CertificateAuthority extends CertificateAndKey {
  readonly file: string;
}

const DAY_MS = 86_400_000;
const RENEW_SERVER_MS = 365 * DAY_MS;
const RENEW_AUTHORITY_MS = 2 * 365 * DAY_MS;

/**
 * Creates a private certificate authority and the certificate of a server in a folder, of which others can read only
 * `ca.crt`. Keeps what is there: renews a certificate a year before it expires or if it is for other names, and replaces the
 * authority two years before it expires. After that, clients need the new `ca.crt`.
 */
export const ensureCertificates = async (folder: string, names: readonly string[]): Promise<CertificateFiles> =>
  ensureServerCertificate(await ensureAuthority(folder), folder, names);

/** The authority of `ensureCertificates`, without a server. */
export const ensureAuthority = async (folder: string): Promise<CertificateAuthority> => {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  await chmod(folder, 0o711);
  const { pair } = await ensure(folder, 'ca', isAuthority, () => createAuthority('Postern'));
  return { ...pair, file: join(folder, 'ca.crt') };
};

/** The certificate of a server of `ensureCertificates`, in a folder that exists and need not be the one of the authority. */
export const ensureServerCertificate = async (
  authority: CertificateAuthority,
  folder: string,
  names: readonly string[],
): Promise<CertificateFiles> => {
  const issuer = new X509Certificate(authority.cert);
  const { created } = await ensure(
    folder,
    'server',
    certificate => isServer(certificate, issuer, names),
    () => createServerCertificate(authority, names),
  );
  return { ca: authority.file, cert: join(folder, 'server.crt'), key: join(folder, 'server.key'), renewed: created };
};

const isAuthority = (certificate: X509Certificate): boolean =>
  certificate.ca && remainingMs(certificate) > RENEW_AUTHORITY_MS;

const isServer = (certificate: X509Certificate, issuer: X509Certificate, names: readonly string[]): boolean =>
  remainingMs(certificate) > RENEW_SERVER_MS &&
  certificate.verify(issuer.publicKey) &&
  names.every(name => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined);

const remainingMs = ({ validTo }: X509Certificate): number => Date.parse(validTo) - Date.now();

const ensure = async (
  folder: string,
  name: string,
  isUsable: (certificate: X509Certificate) => boolean,
  create: () => Promise<CertificateAndKey>,
): Promise<{ readonly pair: CertificateAndKey; readonly created: boolean }> => {
  const [certFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const known = await readPair(certFile, keyFile);
  if (known && isUsable(new X509Certificate(known.cert))) return { pair: known, created: false };
  const pair = await create();
  // The key first: a call that ends between the two renames finds a pair that does not match, and creates another one.
  await replace(keyFile, pair.key, 0o600);
  await replace(certFile, pair.cert, 0o644);
  return { pair, created: true };
};

/** Undefined if a file is missing or damaged, or if the key is not the one of the certificate. */
const readPair = async (certFile: string, keyFile: string): Promise<CertificateAndKey | undefined> => {
  try {
    const [cert, key] = [await readFile(certFile, 'utf8'), await readFile(keyFile, 'utf8')];
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    return undefined;
  }
};

const replace = async (path: string, text: string, mode: number): Promise<void> => {
  const temporary = `${path}.${process.pid}.new`;
  await rm(temporary, { force: true });
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
};
