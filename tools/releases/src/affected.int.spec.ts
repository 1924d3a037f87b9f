import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const ALL_SERVICES = [
  'api-gateway',
  'delivery-tracking',
  'email-send',
  'load-balancer',
  'platform-management',
  'runtime-agent',
  'webhook-dispatch',
];

const imagesFor = async (file: string): Promise<readonly string[]> => {
  const nx = join(ROOT, 'node_modules/nx/dist/bin/nx.js');
  const args = ['show', 'projects', '--affected', '--with-target', 'image', '--json', `--files=${file}`];
  const env = { ...process.env, NX_DAEMON: 'false', NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, [nx, ...args], { cwd: ROOT, env });
  return (JSON.parse(stdout) as string[]).sort();
};

describe('a change affects the images of', () => {
  it.each<[string, readonly string[], string]>([
    ['the service of the source', ['email-send'], 'apps/email-send/src/main.ts'],
    ['the service of the schema', ['delivery-tracking'], 'prisma/delivery-tracking/schema.prisma'],
    ['the service of the Helm values', ['webhook-dispatch'], 'k8s/values/webhook-dispatch.yaml'],
    ['the gateway, for the dashboard', ['api-gateway'], 'apps/dashboard/src/main.tsx'],
    ['the services that use the library', ['api-gateway', 'delivery-tracking', 'email-send'], 'libs/mail/src/index.ts'],
    [
      'the users of the load balancer',
      ['load-balancer', 'platform-management', 'runtime-agent'],
      'libs/load-balancer-client/src/index.ts',
    ],
    ['every service, for a contract', ALL_SERVICES, 'libs/contracts/src/event.ts'],
    ['every service, for the Dockerfile', ALL_SERVICES, 'docker/Dockerfile'],
    ['every service, for the image build', ALL_SERVICES, 'tools/images/pack.mjs'],
    ['none, for the snapshot of a release', [], 'libs/contracts/released/email-send@0.1.0.json'],
    ['none, for documentation', [], 'docs/figures.md'],
  ])('%s', async (_, images, file) => expect(await imagesFor(file)).toEqual(images));
});
