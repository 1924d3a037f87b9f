import { createHash } from 'node:crypto';
import type { HostKey } from './repository-credentials.js';

/** Returns the servers in `known_hosts` lines, with the fingerprints of their keys in the format of ssh-keygen. */
export const fingerprintsOf = (hostKeys: string): HostKey[] =>
  hostKeys
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [name = '', , key = ''] = line.split(' ');
      const digest = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64').replace(/=+$/, '');
      return { host: name.replace(/^\[(.+)\]:(\d+)$/, '$1:$2'), fingerprint: `SHA256:${digest}` };
    });
