import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { built } from './helm.mjs';
import { RULES } from './rules.mjs';
import { kubeconform } from './schemas.mjs';

const OBJECTS = 'apps/runtime-agent/dist/kubernetes-runtime/objects';
const services = await built(`${OBJECTS}/service-objects.js`);
const builds = await built(`${OBJECTS}/build-objects.js`);
const commands = await built(`${OBJECTS}/command-objects.js`);
const disks = await built(`${OBJECTS}/disk-objects.js`);
const processes = await built(`${OBJECTS}/process-objects.js`);
const domains = await built(`${OBJECTS}/domain-objects.js`);
const sources = await built(`${OBJECTS}/source-objects.js`);
const { shellCommand } = await built(`${OBJECTS}/shell-command.js`);

const id = '0197a3b0-0000-7000-8000-000000000001';
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const repository = 'registry.example.com/postern/web-services';

const plan = {
  webServiceId: id,
  name: 'My shop!',
  rollId: '0197a3b0-0000-7000-8000-000000000002',
  artefact: { reference: `${repository}@${digest}`, commit: 'a'.repeat(40) },
  startCommand: undefined,
  port: 8080,
  healthCheckPath: undefined,
  minInstances: 1,
  maxInstances: 1,
  environment: {},
  secrets: [],
  deadlineMs: 180_000,
};
const plans = {
  'a minimal plan': plan,
  'a full plan': {
    ...plan,
    startCommand: 'node server.js --now $(date)',
    healthCheckPath: '/health',
    minInstances: 2,
    maxInstances: 5,
    environment: { KEY: 'value', HOME: '/app', EMPTY: '' },
    instance: { memoryMib: 256, cpuMillicores: 250 },
    drainSeconds: 60,
    processes: { worker: 2, _mails: 1 },
  },
  'with a disk': { ...plan, disk: { sizeMib: 1_024 } },
  'an image of a Dockerfile': {
    ...plan,
    artefact: { ...plan.artefact, reference: `${repository}:dockerfile@${digest}` },
  },
};

const bare = {
  domain: undefined,
  scheme: 'https',
  ingressClass: undefined,
  gateway: undefined,
  nodeSelector: {},
  pullSecret: undefined,
  memoryMiB: 512,
  cpuMillicores: 1_000,
  drainSeconds: 5,
};
const worlds = {
  'inside a cluster only': { ...bare, drainSeconds: 0 },
  'behind an Ingress': {
    ...bare,
    domain: 'apps.example.com',
    ingressClass: 'nginx',
    clusterIssuer: 'letsencrypt',
    pullSecret: 'registry',
  },
  'behind a Gateway': {
    ...bare,
    domain: 'apps.example.com',
    gateway: { namespace: 'gateways', name: 'public' },
    nodeSelector: { 'example.com/pool': 'tenants' },
    storageClass: 'fast',
  },
};

const objectsOf = (plan, world) =>
  [
    disks.diskClaim(plan, world),
    ...services.addressObjects(plan.webServiceId, plan.name, world),
    domains.domainRoute({ domain: 'shop.example.org', webServiceId: plan.webServiceId }, world),
    services.releaseSecret(plan),
    services.deployment(plan, world),
    services.disruptionBudget(plan),
    services.autoscaler(plan, world),
    ...processes.processesOf(plan).map(process => processes.processDeployment(plan, process, world)),
  ].filter(Boolean);

const command = {
  ...plan,
  runId: id,
  instance: 'run-1',
  command: shellCommand('npm run migrate -- $(date)'),
  size: { memoryMib: 256, cpuMillicores: 250 },
};

const assertValid = objects => {
  const { status, stdout } = kubeconform(objects.map(object => JSON.stringify(object)).join('\n---\n'));
  assert.equal(status, 0, stdout);
  assert.match(stdout, new RegExp(`Valid: ${objects.length}, .*Skipped: 0`));
};

describe('The objects of the Kubernetes runtime', () => {
  for (const [variant, plan] of Object.entries(plans))
    for (const [where, world] of Object.entries(worlds))
      it(`are valid for Kubernetes: ${variant}, ${where}`, () => {
        assertValid(objectsOf(plan, world));
      });

  it('follow the restricted pod security standard', () => {
    const restricted = RULES['pods keep the restricted standard'];
    for (const plan of Object.values(plans)) assert.deepEqual(restricted(objectsOf(plan, bare)), []);
    assert.deepEqual(restricted([commands.commandJob(command, bare)]), []);
  });

  it('have no replica count if an autoscaler sets it', () => {
    const objects = objectsOf(plans['a full plan'], bare);
    assert.ok(objects.some(({ kind }) => kind === 'HorizontalPodAutoscaler'));
    const instances = objects.filter(({ metadata }) => metadata.labels['postern.dev/web-service']);
    assert.equal(JSON.stringify(instances).includes('"replicas"'), false);
  });

  for (const [where, world] of Object.entries(worlds))
    it(`are valid for commands, ${where}`, () => {
      assertValid([commands.commandSecret(command), commands.commandJob(command, world)]);
    });

  for (const registrySecret of [undefined, 'registry'])
    it(`are valid for builds and source lookups, ${registrySecret ? 'with' : 'without'} credentials`, () => {
      const remote = {
        url: 'https://git.example.com/shop.git',
        curlResolve: 'git.example.com:443:203.0.113.7',
        sshOptions: [],
      };
      const order = {
        ...plan,
        deploymentId: id,
        repositoryUrl: remote.url,
        commit: 'a'.repeat(40),
      };
      const programs = {
        build: { name: 'image-build.mjs', text: '1' },
        staticServer: { name: 'static-server.mjs', text: '2' },
        push: { name: 'image-push.mjs', text: '3' },
      };
      const settings = {
        repository,
        insecureRegistry: !registrySecret,
        baseImage: 'node:24',
        builderImage: 'moby/buildkit:rootless',
        registrySecret,
        basePullSecret: registrySecret && 'base-images',
        registryAuthorities: registrySecret && 'certificates',
        nodeSelector: { pool: 'builds' },
        memoryMiB: 2_048,
        cpuMillicores: 2_000,
        diskMiB: 10_240,
        allowFileRepositories: false,
      };
      assertValid([
        builds.buildSecret(order, programs, settings, remote),
        builds.buildJob(order, programs, settings, remote),
        sources.sourceSecret(id, remote, ['HEAD']),
        sources.sourceJob(id, remote, settings),
      ]);
    });
});
