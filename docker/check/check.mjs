/**
 * `node docker/check/check.mjs [folder]`: builds every image from docker/Dockerfile and runs them together against a real
 * PostgreSQL, a real NATS and the mail simulator, until a message that was posted to the gateway's container has been
 * delivered. Needs root, buildah and debootstrap (Debian's packages), and a checkout that has been built.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, startNats, startPostgres } from '@postern/testing';
import { Buildah } from './buildah.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const SERVICES = ['api-gateway', 'email-send', 'delivery-tracking', 'webhook-dispatch', 'platform-management'];
const MOST_MB = 250;
const say = line => console.log(`▸ ${line}`);

const demand = (claim, isTrue, otherwise = '') => {
  if (!isTrue) throw new Error(`${claim}: not so. ${otherwise}`);
  console.log(`  ✓ ${claim}`);
};

for (const program of ['buildah', 'debootstrap'])
  if (spawnSync('which', [program]).status !== 0)
    throw new Error(`${program} is missing: apt-get install buildah debootstrap`);

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'postern-images-'));
mkdirSync(folder, { recursive: true });
const buildah = new Buildah(folder);
const undo = [];

/** What stands in for the images of the distribution and of Node.js, where no registry of images can be reached. */
const makeBases = async () => {
  const system = join(folder, 'debian');
  if (!existsSync(join(system, 'usr/bin/dpkg'))) {
    say('making a Debian base with debootstrap');
    execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', system], {
      stdio: 'ignore',
    });
    for (const unneeded of ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'var/cache/apt', 'var/lib/apt/lists'])
      rmSync(join(system, unneeded), { recursive: true, force: true });
    mkdirSync(join(system, 'var/lib/apt/lists/partial'), { recursive: true });
    mkdirSync(join(system, 'var/cache/apt/archives/partial'), { recursive: true });
    // The certificates of this machine, in case its network has one of its own.
    cpSync('/etc/ssl/certs/ca-certificates.crt', join(system, 'etc/ssl/certs/ca-certificates.crt'));
    for (const list of ['sources.list', 'sources.list.d'])
      if (existsSync(`/etc/apt/${list}`))
        cpSync(`/etc/apt/${list}`, join(system, 'etc/apt', list), { recursive: true });
  }
  const base = await buildah.do('from', 'scratch');
  await buildah.do('add', '--quiet', base, system, '/');
  await buildah.do('commit', '--quiet', '--rm', base, 'localhost/debian:slim');
  const node = await buildah.do('from', 'localhost/debian:slim');
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));
  await buildah.do(
    'add',
    '--quiet',
    node,
    realpathSync(join(ROOT, 'node_modules/node/bin/node')),
    '/usr/local/bin/node',
  );
  await buildah.do('add', '--quiet', node, npm, '/usr/local/lib/node_modules/npm');
  for (const [name, script] of [
    ['npm', 'npm-cli.js'],
    ['npx', 'npx-cli.js'],
  ])
    await buildah.do('run', node, '--', 'ln', '-sf', `../lib/node_modules/npm/bin/${script}`, `/usr/local/bin/${name}`);
  await buildah.do('config', '--env', 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt', node);
  await buildah.do('commit', '--quiet', '--rm', node, 'localhost/node:24');
};

const build = async app => {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', cwd: tmpdir() }).trim();
  await buildah.do(
    'bud',
    '--layers',
    '--quiet',
    '-f',
    join(ROOT, 'docker/Dockerfile'),
    '-t',
    `localhost/postern/${app}`,
    '--build-arg',
    `APP=${app}`,
    '--build-arg',
    'NODE_IMAGE=localhost/node:24',
    '--build-arg',
    'BASE_IMAGE=localhost/debian:slim',
    '--build-arg',
    `NPM_CONFIG_REGISTRY=${registry}`,
    ROOT,
  );
};

const imagesAreAsPromised = async () => {
  const images = JSON.parse(await buildah.do('images', '--json'));
  for (const app of SERVICES) {
    const image = images.find(({ names }) => names?.some(name => name.includes(`postern/${app}:`)));
    const megabytes = Number.parseFloat(image.size) * (image.size.endsWith('GB') ? 1_000 : 1);
    demand(`${app} has ${image.size}, less than ${MOST_MB} MB`, megabytes < MOST_MB);
    const {
      OCIv1: { config },
    } = JSON.parse(await buildah.do('inspect', '--type', 'image', `localhost/postern/${app}`));
    demand(`${app} runs as nobody in particular`, /^[1-9]\d*:[1-9]\d*$/.test(config.User), config.User);
    demand(`${app} is asked to stop with SIGTERM`, config.StopSignal === 'SIGTERM');
  }
};

const runTogether = async () => {
  const [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
  undo.push(
    () => postgres.stop(),
    () => nats.stop(),
  );
  const [publicPort, bouncePort, relayPort, mailboxPort] = await Promise.all([1, 2, 3, 4].map(() => freePort()));
  const everywhere = {
    POSTERN_NATS_SERVERS: nats.url,
    POSTERN_HTTP_HOST: '127.0.0.1',
    POSTERN_PUBLIC_URL: `http://127.0.0.1:${publicPort}`,
    POSTERN_LINK_SECRETS: randomBytes(32).toString('base64url'),
    POSTERN_ENCRYPTION_KEYS: `check:${randomBytes(32).toString('base64')}`,
    POSTERN_BOUNCE_DOMAIN: 'bounces.postern.test',
  };
  const own = {
    'api-gateway': { POSTERN_HOST: '127.0.0.1', POSTERN_PORT: String(publicPort) },
    'email-send': {
      POSTERN_SANDBOX_DOMAIN: 'sandbox.postern.test',
      POSTERN_SPF_HOST: 'spf.postern.test',
      POSTERN_RELAYS: `smtp://127.0.0.1:${relayPort}?tls=none`,
      POSTERN_SIMULATOR_DOMAIN: 'simulator.test',
    },
    'delivery-tracking': { POSTERN_BOUNCE_SMTP_HOST: '127.0.0.1', POSTERN_BOUNCE_SMTP_PORT: String(bouncePort) },
    'webhook-dispatch': {},
    'platform-management': {
      POSTERN_OPERATOR_EMAIL: 'owner@example.com',
      POSTERN_OPERATOR_PASSWORD: 'a password of the check',
      POSTERN_PLATFORM_HOME: '/var/lib/postern',
    },
  };
  const { SupervisedProcess } = await import(join(ROOT, 'tools/local-start/dist/supervised-process.js'));
  const simulator = new SupervisedProcess({
    name: 'mail-simulator',
    command: process.execPath,
    args: [join(ROOT, 'tools/mail-simulator/dist/main.js')],
    env: {
      POSTERN_SIMULATOR_SMTP_PORT: String(relayPort),
      POSTERN_SIMULATOR_HTTP_PORT: String(mailboxPort),
      POSTERN_SIMULATOR_BOUNCE_HOST: '127.0.0.1',
      POSTERN_SIMULATOR_BOUNCE_PORT: String(bouncePort),
      POSTERN_SIMULATOR_DOMAIN: 'simulator.test',
      POSTERN_EXIT_WITH_PARENT: 'true',
    },
    logFile: join(folder, 'mail-simulator.log'),
    readyWithinMs: 30_000,
  });
  undo.push(() => simulator.stop());
  await simulator.start();

  const containers = new Map();
  for (const app of SERVICES) {
    const environment = { ...everywhere, ...own[app], POSTERN_HTTP_PORT: String(await freePort()) };
    if (app !== 'api-gateway') environment.POSTERN_DATABASE_URL = await postgres.createDatabase();
    containers.set(app, await buildah.start(`localhost/postern/${app}`, environment));
  }
  for (const [app, container] of containers) {
    await container.ready();
    demand(`${app} serves from its image`, true);
  }
  await messageIsDelivered(everywhere.POSTERN_PUBLIC_URL);
  for (const [app, container] of containers)
    demand(`${app} ends in order on SIGTERM`, (await container.terminate()) === 0, container.printed.slice(-1_000));
};

const messageIsDelivered = async url => {
  const call = async (path, { token, ...body }) => {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token?.startsWith('em_') ? { 'api-key': token } : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const { token } = await call('/dashboard/api/session', {
    email: 'owner@example.com',
    password: 'a password of the check',
  });
  const service = await call('/dashboard/api/email-services', { token, name: 'Check' });
  const { key } = await call(`/dashboard/api/email-services/${service.id}/api-keys`, { token, name: 'check' });
  const message = {
    from: 'me@example.com',
    to: ['delivered@simulator.test'],
    subject: 'Hello',
    text: 'From one image to another',
  };
  const { id } = await call('/emails', { token: key, ...message });
  const deadline = Date.now() + 30_000;
  for (;;) {
    const headers = { authorization: `Bearer ${token}` };
    const timeline = await (
      await fetch(`${url}/dashboard/api/email-services/${service.id}/emails/${id}`, { headers })
    ).text();
    if (timeline.includes('delivered')) break;
    if (Date.now() > deadline) throw new Error(`the message was not delivered: ${timeline}`);
    await new Promise(resolve => setTimeout(resolve, 200));
  }
  demand('a message posted to the gateway’s container is delivered, and its timeline tells', true);
};

try {
  await makeBases();
  for (const app of SERVICES) {
    say(`building the image of ${app}`);
    await build(app);
  }
  await imagesAreAsPromised();
  say('running all of them together');
  await runTogether();
} finally {
  for (const step of undo.reverse()) await step();
  if (process.argv[2] === undefined) rmSync(folder, { recursive: true, force: true });
}
