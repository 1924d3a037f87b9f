/** Checks of releases, which replace what runs. */
import assert from 'node:assert/strict';
import { conserved, emailService, isHealthy, load } from './sending.mjs';

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
