/**
 * `node docker/check/check.mjs [folder]`: builds every image, runs a rendered compose.yaml with Docker, and tests the containers.
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
import { Front, MailClient } from './client.mjs';
import { dayTwo, restored, upgraded } from './day-two.mjs';
import { drains } from './drains.mjs';
import { containerOf, Engine } from './engine.mjs';
import { builtImageOf, imagesOfSet } from './published.mjs';
import { adaptToThisMachine, CONFIGURATION, render } from './render.mjs';
import { demand, print } from './report.mjs';
import { webServiceRuns } from './web-service.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const SERVICES = hostedServices(ROOT);
const MAX_MB = 250;
const OVERRIDE = join(ROOT, 'docker/check/compose.yaml');

for (const program of ['docker', 'dockerd', 'debootstrap', 'go'])
  if (spawnSync('which', [program]).status !== 0) throw new Error(`${program} is missing; docker/README.md says more`);

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'postern-images-'));
mkdirSync(folder, { recursive: true });
const engine = new Engine(folder);

const buildImages = async () => {
  print('building the base images of Debian, Node.js, PostgreSQL and NATS');
  await buildBaseImages(engine, folder, ROOT);
  const { stdout } = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', cwd: tmpdir() });
  const dockerfile = join(ROOT, 'docker/Dockerfile');
  const args = { NPM_CONFIG_REGISTRY: stdout.trim() };
  const building = async (name, options) => {
    const begun = performance.now();
    await engine.build(dockerfile, ROOT, { tag: name, args, ...options });
    print(`built ${name} in ${Math.round((performance.now() - begun) / 1_000)} s`);
  };
  await building('localhost/postern/build', { target: 'build', args: { ...args, APP: 'email-send' } });
  for (const app of [...SERVICES, 'load-balancer']) await building(builtImageOf(app), { args: { ...args, APP: app } });
};

const imagesAreAsPromised = async () => {
  for (const app of SERVICES) {
    const { Size, Config } = await engine.inspect(builtImageOf(app));
    const megabytes = Size / 1e6;
    demand(`${app} has ${megabytes.toFixed(0)} MB, less than ${MAX_MB}`, megabytes < MAX_MB);
    demand(`${app} is asked to stop with SIGTERM`, Config.StopSignal === 'SIGTERM', Config.StopSignal);
  }
};

const variables = async () => ({
  CHECK_HTTP_PORT: String(await freePort()),
  CHECK_HTTPS_PORT: String(await freePort()),
  CHECK_MAILBOXES_PORT: String(await freePort()),
  CHECK_REPOSITORIES: join(folder, 'repositories'),
});

/** Waits until the service logs its ready line. */
const ready = async service => {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const { State } = await engine.inspect(containerOf(service));
    const printed = await engine.docker('logs', '--since', State.StartedAt, containerOf(service));
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
  }
  const programs = await Promise.all(SERVICES.map(service => engine.programOf(containerOf(service))));
  await health('healthy');
  demand('each service answers its health check', true);
  for (const program of programs) process.kill(program, 'SIGSTOP');
  await health('unhealthy').finally(() => {
    for (const program of programs) process.kill(program, 'SIGCONT');
  });
  demand('and fails it while it does not respond', true);
  await health('healthy');
};

/** Waits until the health checks of all services have this result. */
const health = async status => {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const found = await Promise.all(
      SERVICES.map(async service => [service, (await engine.inspect(containerOf(service))).State.Health.Status]),
    );
    const others = found.filter(([, is]) => is !== status);
    if (others.length === 0) return;
    if (Date.now() > deadline) throw new Error(`not ${status}: ${others.join(' ')}`);
    await new Promise(resolve => setTimeout(resolve, 1_000));
  }
};

const run = async settings => {
  rmSync(join(folder, 'rendered'), { recursive: true, force: true });
  const renderSet = images => {
    const rendered = render(join(folder, 'rendered'), CONFIGURATION, images);
    adaptToThisMachine(rendered.file);
    return rendered;
  };
  const setOf = version => imagesOfSet(engine, [...SERVICES, 'load-balancer'], version);
  const sets = { first: await setOf('1.0.0'), second: await setOf('1.1.0') };
  const { file, secrets } = renderSet(sets.first);
  Object.assign(engine.environment, settings, { COMPOSE_FILE: `${file}:${OVERRIDE}` });
  const compose = (...args) => engine.docker('compose', ...args);
  try {
    print('bringing up compose.yaml');
    mkdirSync(settings.CHECK_REPOSITORIES, { recursive: true });
    await compose('up', '--detach');
    await containersAreAsPromised();
    const client = new MailClient(
      new Front(settings.CHECK_HTTPS_PORT),
      `http://127.0.0.1:${settings.CHECK_MAILBOXES_PORT}`,
    );
    await client.logIn('owner@example.com', secrets.read('operator-password'));
    await mailGoesOut(client);
    const answer = await compose('run', '--rm', 'operator', 'events', 'status');
    demand('the postern command answers the operator', answer.includes('email-send'), answer);
    const refused = await engine.in(containerOf('email-send'), 'node', 'postern.js', 'events', 'status');
    demand('and nobody with the credential of a service', refused.code !== 0, refused.output);
    const { status } = await fetch(`http://127.0.0.1:${settings.CHECK_HTTP_PORT}`, {
      redirect: 'manual',
      headers: { host: 'postern.example.com' },
    });
    demand('Caddy redirects to https', status === 308, String(status));
    await tenantsAreApart();
    const page = await webServiceRuns(client, settings.CHECK_REPOSITORIES);
    const world = { engine, client, compose, services: SERVICES, page, folder: dirname(file) };
    await dayTwo(world);
    await upgraded(world, sets, renderSet);
    await restored(world);
    await drains({ engine, client, containerOf, ready, services: SERVICES });
  } catch (error) {
    for (const service of [...SERVICES, 'load-balancer', 'postfix', 'caddy']) {
      const printed = await engine.docker('logs', '--tail', '15', containerOf(service)).catch(() => 'nothing');
      console.log(`— the end of what ${service} printed\n${printed}`);
    }
    throw error;
  } finally {
    await compose('down', '--volumes');
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

await engine.start();
try {
  await buildImages();
  await imagesAreAsPromised();
  await run(await variables());
} finally {
  await engine.stop();
  if (process.argv[2] === undefined) rmSync(folder, { recursive: true, force: true });
}
