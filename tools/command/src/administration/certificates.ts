import { resolve } from 'node:path';
import { ensureCertificates } from '@postern/messaging/certificates';
import { UsageError } from '../errors.js';

/**
 * `certificates create <folder> <name…>`: creates a private certificate authority and a certificate for a NATS server. Keeps those
 * that are there, and renews the certificate a year before it expires.
 */
export const createCertificates = async (
  [folder, ...names]: readonly string[],
  print: (line: string) => void,
): Promise<boolean> => {
  if (!folder || names.length === 0)
    throw new UsageError('postern certificates create requires a folder and the host names or addresses of the server');
  const { ca, cert, key, renewed } = await ensureCertificates(resolve(folder), names);
  print(renewed ? 'A certificate was created. Let NATS read it: nats-server --signal reload' : 'Nothing has changed.');
  print(`nats.conf: tls { cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)}, timeout: 2 }`);
  print(`Services:  POSTERN_NATS_CA_FILE=${ca}`);
  return true;
};
