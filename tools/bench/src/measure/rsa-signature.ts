import { generateKeyPairSync, sign } from 'node:crypto';
import { percentile } from './statistics.js';

const BATCHES = 9;
const SIGNATURES = 20;

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const message = Buffer.alloc(400, 'x');

/**
 * CPU of one RSA-2048 signature on this machine now, in microseconds: the unit of CPU figures, because machines differ
 * while the work of a message does not. The lower quartile of several batches, which other load disturbs least.
 */
export const signatureUs = (): number => {
  const batches = Array.from({ length: BATCHES }, () => {
    const before = process.cpuUsage();
    for (let number = 0; number < SIGNATURES; number++) sign('sha256', message, key);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / SIGNATURES;
  });
  return percentile(
    batches.toSorted((a, b) => a - b),
    25,
  );
};
