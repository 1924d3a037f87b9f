/** Checks of backups and releases, which replace what runs. */
import assert from 'node:assert/strict';
import { conserved, emailService, eventually, isHealthy, load, message, signedIn, statusOf } from './sending.mjs';

export const restore = async world => {
  const { server, state } = world;
  const service = await emailService(world);
  const known = await service.client.send(service.key, message('ok-before-backup@receiver.example.net'));
  assert.equal(known.status, 200);
  const printed = await server.exec('postern backup');
  const path = /^Backup: (.*)$/m.exec(printed)?.[1];
  assert.match(printed, /Restored into a scratch cluster: \d+ events, complete/);
  const wrong = `AGE-SECRET-KEY-1${'Q'.repeat(58)}`;
  await assert.rejects(server.exec(`postern restore ${path} --yes`, { input: wrong }), /not the recovery key/);
  await isHealthy(server);
  const inside = await server.exec(`tar --zstd -tf ${path}/settings.tar.zst; ls ${path}`);
  assert.doesNotMatch(inside, /encryption-keys/);
  // An empty machine: nothing but the packages, the release and the backup.
  await server.exec('postern uninstall --purge --yes && rm -rf /etc/postern /var/lib/postern');
  await server.exec(`postern restore ${path}`, { input: state.recoveryKey });
  const client = await signedIn(world);
  service.client = client;
  const found = await client.dashboard('GET', `/email-services/${service.id}/emails/${known.json.id}`);
  assert.equal(found.id, known.json.id);
  const again = await client.send(service.key, message('ok-after-restore@receiver.example.net'));
  assert.equal(again.status, 200);
  await eventually(world, 60_000, async () => assert.equal(await statusOf(service, again.json.id), 'delivered'));
  return 'on an empty machine, with the recovery key only';
};

/** Unpacks the same files as another release; `change` is a command in its folder. */
export const otherRelease = (server, version, change = ':') =>
  server.exec(`cd /opt/postern/releases && rm -rf ${version} && cp -a --reflink=auto "$(readlink -f /opt/postern/current)" ${version}
cd ${version} && sed -i 's/"version": "[^"]*"/"version": "${version}"/' manifest.json && ${change}`);

export const runningRelease = async server => /Postern (\S+) at/.exec(await server.exec('postern status'))?.[1];

export const upgrade = async world => {
  const { server } = world;
  const service = await emailService(world);
  const before = await runningRelease(server);
  await otherRelease(server, '2026.12.0');
  const sending = load(world, service, 'upgrade', 500);
  await server.exec('postern upgrade 2026.12.0');
  await sending.stop();
  assert.deepEqual(sending.failed, []);
  assert.equal(await runningRelease(server), '2026.12.0');
  await conserved(world, sending.accepted);
  // A release whose service ends at its start: the running process is not stopped for it.
  await otherRelease(server, '2026.12.1', "echo 'process.exit(1)' > apps/email-send/dist/bundle.js");
  const meanwhile = load(world, service, 'return', 500);
  await assert.rejects(server.exec('postern upgrade 2026.12.1'), /did not become healthy, and 2026\.12\.0 runs again/);
  await meanwhile.stop();
  assert.deepEqual(meanwhile.failed, []);
  assert.equal(await runningRelease(server), '2026.12.0');
  await isHealthy(server);
  await server.exec('postern rollback');
  assert.equal(await runningRelease(server), before);
  await assert.rejects(server.exec('postern upgrade 2027.1.0'), /2027\.1\.0 is not unpacked/);
  return `${sending.accepted.size + meanwhile.accepted.size} requests answered 200 from ${before} to 2026.12.0 and during a failed upgrade`;
};
