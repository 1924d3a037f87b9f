/**
 * Runs the pods of the trial as plain processes: the services with the environment and Secrets of the chart, NATS with its
 * configuration, migrations with the command of the Job. Only addresses differ.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { built, objectsOf, find as one, render, SERVICES, trial } from './helm.mjs';
import { ROOT } from './tools.mjs';

const run = promisify(execFile);
const { findNatsServer, freePort, spawnNats, startPostgres } = await built('libs/testing/dist/index.js');
const { ensureCertificates } = await built('libs/messaging/dist/certificate-folder.js');

const objects = objectsOf(render(trial));
const find = (kind, name) => one(objects, kind, name);

const secretValue = ({ name, key, optional }) => {
  const { data, stringData } = find('Secret', name);
  const value = data?.[key] === undefined ? stringData?.[key] : Buffer.from(data[key], 'base64').toString();
  assert.ok(value !== undefined || optional, `the Secret ${name} lacks ${key}`);
  return value;
};

const environmentOf = container =>
  Object.fromEntries(
    container.env
      .map(({ name, value, valueFrom }) => [name, value ?? secretValue(valueFrom.secretKeyRef)])
      .filter(([, value]) => value !== undefined),
  );

const containerOf = (kind, name) => find(kind, name).spec.template.spec.containers[0];

const folder = mkdtempSync(join(tmpdir(), 'postern-trial-'));
// If run as root, builds and web services have separate users, which need access to this folder.
chmodSync(folder, 0o711);
let nats;
let certificates;
let postgres;

/** The environment of a pod, with local addresses in place of the cluster's. */
const here = (service, environment) => {
  const moved = {
    POSTERN_NATS_SERVERS: nats.url.replace(/^nats:\/\/127.0.0.1/, 'tls://localhost'),
    POSTERN_NATS_CA_FILE: certificates.ca,
    POSTERN_DATABASE_URL: postgres.adminUrl.replace(/\/[^/]*$/, `/${service.replaceAll('-', '_')}`),
    POSTERN_PLATFORM_HOME: join(folder, 'platform'),
  };
  const local = Object.entries(environment).map(([name, value]) => {
    if (name in moved) return [name, moved[name]];
    if (/_PORT$/.test(name)) return [name, '0'];
    return [name, /_HOST$/.test(name) && value === '0.0.0.0' ? '127.0.0.1' : value];
  });
  return { PATH: process.env.PATH, POSTERN_PLATFORM_HOME: moved.POSTERN_PLATFORM_HOME, ...Object.fromEntries(local) };
};

/** @param signal that of the test: a test that is out of time leaves no process */
const startService = async (service, signal) => {
  const child = spawn('node', [`apps/${service}/dist/main.js`], {
    cwd: ROOT,
    env: here(service, environmentOf(containerOf('Deployment', service))),
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGKILL',
  });
  child.on('error', () => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const { ready, port } = JSON.parse(line);
    if (ready) {
      child.stdout.resume();
      return { child, port };
    }
  }
  return assert.fail(`${service} ended with ${child.exitCode}`);
};

describe('The trial, as processes', { timeout: 600_000 }, () => {
  before(async () => {
    postgres = await startPostgres();
    const { path, version } = await findNatsServer();
    // The certificate of the chart is for the name of its Service.
    certificates = await ensureCertificates(join(folder, 'nats-tls'), ['localhost']);
    const configuration = find('ConfigMap', 'postern-nats')
      .data['nats.conf'].replace(/.*(http_port|pid_file|store_dir).*\n/g, '')
      .replace('/etc/nats-tls/tls.crt', certificates.cert)
      .replace('/etc/nats-tls/tls.key', certificates.key);
    // Debian's nats-server is older than the image that the chart starts.
    const old = Number.parseInt(version.split('.')[1], 10) < 10;
    writeFileSync(join(folder, 'nats.conf'), old ? configuration.replace(/.*sync_interval.*\n/, '') : configuration);
    Object.assign(process.env, environmentOf(containerOf('StatefulSet', 'postern-nats')));
    nats = await spawnNats({
      program: path,
      port: await freePort(),
      storeDir: join(folder, 'jetstream'),
      args: ['--config', join(folder, 'nats.conf')],
    });
  });

  after(async () => {
    await nats?.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('NATS has a certificate for its Service, of the authority that the services verify', () => {
    const { data } = find('Secret', 'postern-nats-tls');
    const certificate = name => new X509Certificate(Buffer.from(data[name], 'base64'));
    const [authority, server] = [certificate('ca.crt'), certificate('tls.crt')];
    assert.equal(server.verify(authority.publicKey), true);
    assert.equal(server.checkHost('postern-nats'), 'postern-nats');
    assert.equal(server.checkPrivateKey(createPrivateKey(Buffer.from(data['tls.key'], 'base64'))), true);
    for (const service of SERVICES) {
      const { volumes } = find('Deployment', service).spec.template.spec;
      const { secret } = volumes.find(({ name }) => name === 'nats-tls');
      assert.deepEqual(secret, { secretName: 'postern-nats-tls', items: [{ key: 'ca.crt', path: 'ca.crt' }] });
    }
  });

  for (const service of SERVICES) {
    it(`${service} is migrated, becomes ready, and exits on SIGTERM within its grace period`, async ({ signal }) => {
      if (containerOf('Deployment', service).env.some(({ name }) => name === 'POSTERN_DATABASE_URL')) {
        const { command, args, env } = containerOf('Job', `${service}-migration`);
        const environment = here(service, environmentOf({ env }));
        const { stdout } = await run(command[0], [...command.slice(1), ...args], { cwd: ROOT, env: environment });
        assert.ok(JSON.parse(stdout).applied.length > 0);
      }
      const { child, port } = await startService(service, signal);
      const answer = await fetch(`http://127.0.0.1:${port}${probeOf(service)}`);
      assert.equal(answer.status, 200, await answer.text());
      const { terminationGracePeriodSeconds } = find('Deployment', service).spec.template.spec;
      const ended = once(child, 'exit', { signal: AbortSignal.timeout(terminationGracePeriodSeconds * 1_000) });
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
    });
  }
});

const probeOf = service => containerOf('Deployment', service).readinessProbe.httpGet.path;
