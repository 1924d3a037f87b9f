/**
 * `node docker/check/check.mjs [folder]`: builds every image, runs compose.yaml with Podman, and tests the containers.
 * Needs root and the programs in docker/README.md. If a folder is given, it is kept as a layer cache for the next run.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@postern/testing';
import { hostedServices, servicesWithDatabase } from '../../tools/setup/services.mjs';
import { buildBaseImages } from './base-images.mjs';
import { MailClient } from './client.mjs';
import { drains } from './drains.mjs';
import { Engine, reExecuteApart } from './engine.mjs';
import { demand, print } from './report.mjs';
import { webServiceRuns } from './web-service.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const SERVICES = hostedServices(ROOT);
const MAX_MB = 250;
const FILES = [join(ROOT, 'docker/compose.yaml'), join(ROOT, 'docker/check/compose.yaml')];

for (const program of ['podman', 'crun', 'debootstrap', process.env.PODMAN_COMPOSE ?? 'podman-compose'])
  if (spawnSync('which', [program]).status !== 0) throw new Error(`${program} is missing; docker/README.md says more`);
const code = reExecuteApart();
if (code !== undefined) process.exit(code);

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'postern-images-'));
const engine = new Engine(folder);
/** Starts with letters, because NATS would parse a value of digits as a number. */
const passwords = (kind, names) =>
  Object.fromEntries(names.map(name => [`POSTERN_${kind}_PASSWORD_${name}`, `p${randomBytes(24).toString('hex')}`]));
const inEnvironment = name => name.replaceAll('-', '_').toUpperCase();
const containerOf = service => `postern_${service}_1`;

const buildImages = async () => {
  print('building the base images of Debian, Node.js, PostgreSQL and NATS');
  await buildBaseImages(engine, folder, ROOT);
  const { stdout } = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', cwd: tmpdir() });
  const dockerfile = join(ROOT, 'docker/Dockerfile');
  const args = { NPM_CONFIG_REGISTRY: stdout.trim() };
  const building = async (name, options, file = dockerfile) => {
    const begun = performance.now();
    await engine.build(file, ROOT, { tag: `postern/${name}`, args, ...options });
    print(`built ${name} in ${Math.round((performance.now() - begun) / 1_000)} s`);
  };
  await building('build', { target: 'build', args: { ...args, APP: 'email-send' } });
  for (const app of [...SERVICES, 'load-balancer']) await building(app, { args: { ...args, APP: app } });
  await building('postfix', { args: {} }, join(ROOT, 'docker/postfix/Dockerfile'));
};

const imagesAreAsPromised = async () => {
  for (const app of SERVICES) {
    const { Size, Config } = await engine.inspect(`localhost/postern/${app}`);
    const megabytes = Size / 1e6;
    demand(`${app} has ${megabytes.toFixed(0)} MB, less than ${MAX_MB}`, megabytes < MAX_MB);
    demand(`${app} is asked to stop with SIGTERM`, Config.StopSignal === 'SIGTERM', Config.StopSignal);
  }
};

const variables = async () => ({
  POSTERN_LINK_SECRETS: randomBytes(32).toString('base64url'),
  POSTERN_ENCRYPTION_KEYS: `check:${randomBytes(32).toString('base64')}`,
  POSTERN_OPERATOR_PASSWORD: randomBytes(12).toString('base64url'),
  ...passwords('DATABASE', servicesWithDatabase(ROOT).map(inEnvironment)),
  ...passwords('NATS', [...SERVICES.map(inEnvironment), 'OPERATOR', 'ADMINISTRATOR']),
  POSTERN_PORT: String(await freePort()),
  POSTERN_BOUNCE_PORT: String(await freePort()),
  POSTERN_PLATFORM_BALANCER_PORT: String(await freePort()),
  CHECK_MAILBOXES_PORT: String(await freePort()),
  CHECK_REPOSITORIES: join(folder, 'repositories'),
});

/** Waits until the service logs its ready line. */
const ready = async service => {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const { State } = await engine.inspect(containerOf(service));
    const printed = await engine.podman('logs', '--since', State.StartedAt, containerOf(service));
    if (State.Running && printed.slice(printed.lastIndexOf('{"ready":true')).startsWith('{"ready":true')) return;
    if (Date.now() > deadline) throw new Error(`${service} is not ready; it printed\n${printed.slice(-4_000)}`);
    await new Promise(resolve => setTimeout(resolve, 250));
  }
};

const containersAreAsPromised = async () => {
  for (const service of SERVICES) {
    const container = containerOf(service);
    await ready(service);
    demand(`${service} serves from its image`, true);
    const program = await engine.programOf(container);
    const status = readFileSync(`/proc/${program}/status`, 'latin1');
    const field = name => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1];
    demand(`${service} runs as a user without a name elsewhere`, field('Uid') === '10001', status);
    demand(`${service} has no capabilities`, Number.parseInt(field('CapBnd'), 16) === 0 && field('NoNewPrivs') === '1');
    const write = await engine.in(container, 'sh', '-c', ': > /postern/written || : > /written');
    demand(
      `${service} cannot write to its file system`,
      write.code !== 0 && /Read-only/.test(write.output),
      write.output,
    );
    await engine.podman('healthcheck', 'run', container);
    demand(`${service} answers its health check`, true);
    process.kill(program, 'SIGSTOP');
    const asleep = await engine.podman('healthcheck', 'run', container).then(
      () => 'healthy',
      () => 'unhealthy',
    );
    process.kill(program, 'SIGCONT');
    demand(`${service} fails its health check while it does not respond`, asleep === 'unhealthy');
  }
};

const run = async settings => {
  const compose = (...args) => engine.compose(FILES, settings, ...args);
  try {
    print('bringing up compose.yaml');
    mkdirSync(settings.CHECK_REPOSITORIES, { recursive: true });
    await compose('up', '-d', '--no-build');
    await containersAreAsPromised();
    const client = new MailClient(
      `http://127.0.0.1:${settings.POSTERN_PORT}`,
      `http://127.0.0.1:${settings.CHECK_MAILBOXES_PORT}`,
    );
    await client.logIn('owner@example.com', settings.POSTERN_OPERATOR_PASSWORD);
    await mailGoesOut(client);
    const command = ['node', 'postern.js', 'events', 'status'];
    const operator = ['POSTERN_NATS_USER=operator', `POSTERN_NATS_PASSWORD=${settings.POSTERN_NATS_PASSWORD_OPERATOR}`];
    const answer = await engine.in(containerOf('email-send'), 'env', ...operator, ...command);
    demand('the postern command answers the operator in a container', answer.code === 0, answer.output);
    const refused = await engine.in(containerOf('email-send'), ...command);
    demand('and nobody with the credential of a service', refused.code !== 0, refused.output);
    await webServiceRuns(client, settings);
    await drains({ engine, client, containerOf, ready, services: SERVICES });
  } catch (error) {
    for (const service of [...SERVICES, 'load-balancer', 'postfix']) {
      const printed = await engine.podman('logs', '--tail', '15', containerOf(service)).catch(() => 'nothing');
      console.log(`— the end of what ${service} printed\n${printed}`);
    }
    throw error;
  } finally {
    await compose('down', '-v');
  }
};

const mailGoesOut = async client => {
  const outcomes = {
    'delivered@simulator.test': ['delivered', 'Postfix hands it on, and the notification comes back'],
    'hard-bounce@simulator.test': ['bounced', 'the host behind Postfix sends a notification'],
    'refused@simulator.test': ['bounced', 'the host behind Postfix refuses, and Postfix itself sends a notification'],
  };
  for (const [to, [outcome, how]] of Object.entries(outcomes)) {
    const { id } = await client.send(to);
    await client.becomes(id, outcome);
    demand(`a message to ${to} is ${outcome}: ${how}`, true);
  }
};

try {
  await buildImages();
  await imagesAreAsPromised();
  await run(await variables());
} finally {
  if (process.argv[2] === undefined) {
    await engine.podman('system', 'reset', '--force').catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  }
}
