import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
/** Those that speak over NATS. */
const EVERY = [
  'api-gateway',
  'delivery-tracking',
  'email-send',
  'platform-management',
  'runtime-agent',
  'webhook-dispatch',
];
const ALL = [...EVERY, 'load-balancer'].sort();

const imagesFor = async (file: string): Promise<readonly string[]> => {
  const nx = join(ROOT, 'node_modules/nx/dist/bin/nx.js');
  const asked = ['show', 'projects', '--affected', '--with-target', 'image', '--json', `--files=${file}`];
  const env = { ...process.env, NX_DAEMON: 'false', NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, [nx, ...asked], { cwd: ROOT, env });
  return (JSON.parse(stdout) as string[]).sort();
};

describe('the images that a change is built into are those of', () => {
  it.each<[string, readonly string[], string]>([
    ['the service whose source it is', ['email-send'], 'apps/email-send/src/main.ts'],
    ['the service whose migration it is', ['delivery-tracking'], 'prisma/delivery-tracking/schema.prisma'],
    ['the service whose values it is', ['webhook-dispatch'], 'k8s/values/webhook-dispatch.yaml'],
    ['the gateway, for the dashboard', ['api-gateway'], 'apps/dashboard/src/main.tsx'],
    ['those that use the library', ['api-gateway', 'delivery-tracking', 'email-send'], 'libs/mail/src/index.ts'],
    [
      'what uses the load balancer',
      ['load-balancer', 'platform-management', 'runtime-agent'],
      'libs/load-balancer-client/src/index.ts',
    ],
    ['every service, for a contract', EVERY, 'libs/contracts/src/event.ts'],
    ['every service, for the Dockerfile', ALL, 'docker/Dockerfile'],
    ['every service, for the packing of images', ALL, 'tools/images/pack.mjs'],
    ['none, for a promise of a release', [], 'libs/contracts/released/email-send@0.1.0.json'],
    ['none, for documentation', [], 'docs/figures.md'],
  ])('%s', async (_, images, file) => expect(await imagesFor(file)).toEqual(images));
});
