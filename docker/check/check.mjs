/**
 * `node docker/check/check.mjs [folder]`: builds every image, runs a rendered compose.yaml with Podman, and tests the containers.
 * Needs root and the programs in docker/README.md. If a folder is given, it is kept as a layer cache for the next run.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@postern/testing';
import { hostedServices } from '../../tools/setup/services.mjs';
import { buildBaseImages } from './base-images.mjs';
import { MailClient } from './client.mjs';
import { drains } from './drains.mjs';
import { Engine, reExecuteApart } from './engine.mjs';
import { forPodman, render } from './render.mjs';
import { demand, print } from './report.mjs';
import { webServiceRuns } from './web-service.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const SERVICES = hostedServices(ROOT);
const MAX_MB = 250;
const OVERRIDE = join(ROOT, 'docker/check/compose.yaml');

for (const program of ['podman', 'crun', 'debootstrap', process.env.PODMAN_COMPOSE ?? 'podman-compose'])
  if (spawnSync('which', [program]).status !== 0) throw new Error(`${program} is missing; docker/README.md says more`);
const code = reExecuteApart();
if (code !== undefined) process.exit(code);

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'postern-images-'));
const engine = new Engine(folder);
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
  CHECK_GATEWAY_PORT: String(await freePort()),
  CHECK_BALANCER_PORT: String(await freePort()),
  CHECK_HTTP_PORT: String(await freePort()),
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
    const field = name => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
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
  rmSync(join(folder, 'rendered'), { recursive: true, force: true });
  const { file, secrets } = render(join(folder, 'rendered'));
  forPodman(file);
  const compose = (...args) => engine.compose([file, OVERRIDE], settings, ...args);
  try {
    print('bringing up compose.yaml');
    mkdirSync(settings.CHECK_REPOSITORIES, { recursive: true });
    await compose('up', '-d', '--no-build');
    await containersAreAsPromised();
    const client = new MailClient(
      `http://127.0.0.1:${settings.CHECK_GATEWAY_PORT}`,
      `http://127.0.0.1:${settings.CHECK_MAILBOXES_PORT}`,
    );
    await client.logIn('owner@example.com', secrets.read('operator-password'));
    await mailGoesOut(client);
    const command = ['node', 'postern.js', 'events', 'status'];
    const password = `POSTERN_NATS_PASSWORD=${secrets.read('nats-operator')}`;
    const operator = ['-u', 'POSTERN_NATS_PASSWORD_FILE', 'POSTERN_NATS_USER=operator', password];
    const answer = await engine.in(containerOf('email-send'), 'env', ...operator, ...command);
    demand('the postern command answers the operator in a container', answer.code === 0, answer.output);
    const refused = await engine.in(containerOf('email-send'), ...command);
    demand('and nobody with the credential of a service', refused.code !== 0, refused.output);
    const { status } = await fetch(`http://127.0.0.1:${settings.CHECK_HTTP_PORT}`, {
      redirect: 'manual',
      headers: { host: 'postern.example.com' },
    });
    demand('Caddy redirects to https', status === 308, String(status));
    await tenantsAreApart();
    await webServiceRuns(client, settings);
    await drains({ engine, client, containerOf, ready, services: SERVICES });
  } catch (error) {
    for (const service of [...SERVICES, 'load-balancer', 'postfix', 'caddy']) {
      const printed = await engine.podman('logs', '--tail', '15', containerOf(service)).catch(() => 'nothing');
      console.log(`— the end of what ${service} printed\n${printed}`);
    }
    throw error;
  } finally {
    await compose('down', '-v');
  }
};

/** Code of web services runs in the container of the agent. */
const tenantsAreApart = async () => {
  const connects = async (host, port) => {
    const program = `require('node:net').connect(${port}, '${host}').on('connect', () => process.exit(0)).on('error', () => process.exit(1)).setTimeout(3000, () => process.exit(1))`;
    return (await engine.in(containerOf('runtime-agent'), 'node', '-e', program)).code === 0;
  };
  demand('the container of web services reaches NATS', await connects('nats', 4222));
  for (const [host, port] of Object.entries({ postgres: 5432, postfix: 25, 'api-gateway': 8080, 'email-send': 9090 }))
    demand(`and not ${host}`, !(await connects(host, port)));
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
