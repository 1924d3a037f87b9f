/** What an administrator of a running server relies on: notices about changes, and a disk that was full. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { INTERNET } from './machine.mjs';
import { conserved, emailService, eventually, isHealthy, load } from './sending.mjs';

const OPERATOR = 'owner@example.com';

/** The monitoring of the operator, such as healthchecks.io. */
const monitoring = async () => {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    request.resume().on('end', () => response.end('OK'));
  });
  await new Promise(resolve => server.listen(8000, INTERNET.address, resolve));
  return { requests, url: `http://${INTERNET.address}:8000/ping`, stop: () => server.close() };
};

const notices = ({ mail }) =>
  mail.messages.filter(({ from, to }) => to.includes(OPERATOR) && from === 'postern@sandbox.mail.example.com');

/** Checks twice. @returns the subjects of the notices that the first check sent; the second one sends none. */
const noticesOf = async (world, { sent = true } = {}) => {
  const before = notices(world).length;
  const check = () => world.server.exec('postern check --now || [ $? = 1 ]');
  const printed = await check();
  if (sent)
    await eventually(world, 30_000, async () =>
      assert.equal(notices(world).length, before + (/^Notified/m.test(printed) ? 1 : 0), printed),
    );
  const subjects = notices(world)
    .slice(before)
    .map(({ raw }) => /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(raw)?.[1].replace(/\r\n/g, ''));
  await check();
  await world.pause(2_000);
  assert.equal(notices(world).length, before + subjects.length, 'nothing changed, so there is no notice');
  return { subjects, printed };
};

export const dayTwo = async world => {
  const { server } = world;
  const pings = await monitoring();
  await server.exec(
    `cp /etc/postern/config.yaml /root/before.yaml && echo 'check: { ping: "${pings.url}" }' >> /etc/postern/config.yaml && postern config apply`,
  );
  try {
    await server.exec('postern backup');
    await noticesOf(world);
    assert.deepEqual((await noticesOf(world)).subjects, [], 'nothing changed');
    assert.equal(pings.requests.at(-1), '/ping');

    await server.exec('systemctl stop postern-webhook-dispatch');
    assert.match((await noticesOf(world)).subjects.join(), /: check units, health/);
    assert.equal(pings.requests.at(-1), '/ping/fail');
    await server.exec('postern up');
    assert.match((await noticesOf(world)).subjects.join(), /: units, health.* are good again$/);
    assert.equal(pings.requests.at(-1), '/ping');

    const manifests = '/var/backups/postern/2*/manifest.json';
    await server.exec(
      `for file in ${manifests}; do cp -p $file $file.kept; sed -i 's/"createdAt": "[^"]*"/"createdAt": "2026-01-01T00:00:00.000Z"/' $file; done`,
    );
    assert.match((await noticesOf(world)).subjects.join(), /: check backup$/);
    await server.exec(`for file in ${manifests}; do mv $file.kept $file; done`);
    assert.match((await noticesOf(world)).subjects.join(), /: backup is good again$/);

    // Mail is what is broken: the monitoring says so, and the notice is sent when it can be.
    await server.exec('systemctl stop postern-postfix');
    const { subjects, printed } = await noticesOf(world, { sent: false });
    assert.deepEqual(subjects, []);
    assert.match(printed, /owner@example\.com could not be notified by mail/);
    assert.equal(pings.requests.at(-1), '/ping/fail');
    await server.exec('postern up');
    assert.deepEqual((await noticesOf(world)).subjects, [], 'what was not reported and is over needs no notice');

    const shown = await server.exec('postern storage');
    assert.match(shown, /database of email-send/);
    const report = JSON.parse(await server.exec('cat /var/lib/postern/report.json'));
    const client = (await emailService(world)).client;
    assert.equal((await client.dashboard('GET', '/system')).server.checked_at, report.checked_at);
    const mailed = await client.dashboard('POST', '/system/test-mail', {});
    assert.equal(mailed.result, 'accepted', mailed.response);
    return `${notices(world).length} notices, ${pings.requests.length} pings`;
  } finally {
    await server.exec('cat /root/before.yaml > /etc/postern/config.yaml && postern config apply');
    pings.stop();
  }
};

const SIZE = '3G';

/** Moves the state of the server to a small disk of its own. */
const onSmallDisk = async server => {
  await server.shutDown();
  const [image, state, copy] = [
    join(server.folder, 'disk.img'),
    join(server.root, 'var/lib/postern'),
    join(server.root, 'var/lib/postern.before'),
  ];
  const run = (program, ...args) => execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  run('truncate', '-s', SIZE, image);
  run('mkfs.ext4', '-q', '-m', '0', image);
  run('mv', state, copy);
  run('mkdir', state);
  run('mount', '-o', 'loop', image, state);
  run('cp', '-a', `${copy}/.`, state);
  run('rm', '-rf', copy);
  await server.boot();
};

export const fullDisk = async world => {
  const { server } = world;
  const service = await emailService(world);
  await onSmallDisk(server);
  await eventually(world, 120_000, () => isHealthy(server));
  const sending = load(world, service, 'full');
  await world.pause(3_000);
  await server.exec(
    'cd /var/lib/postern && fallocate -l $(( $(df --output=avail -B1 . | tail -1) - 1048576 )) filled; dd if=/dev/zero of=filled2 bs=64k 2>/dev/null || true',
  );
  await world.pause(20_000);
  const began = Date.now();
  const shown = await server.exec('timeout 5 postern doctor --no-mail | head -3 || true');
  const namedAfter = Date.now() - began;
  assert.match(shown, /✗ disk: 0 % free/);
  assert.ok(namedAfter < 5_000, `doctor named the disk after ${namedAfter} ms`);
  await server.exec('rm -f /var/lib/postern/filled /var/lib/postern/filled2');
  const freed = Date.now();
  await eventually(world, 60_000, () => isHealthy(server));
  const seconds = (Date.now() - freed) / 1_000;
  assert.ok(seconds <= 30, `healthy after ${seconds} s`);
  await world.pause(3_000);
  await sending.stop();
  assert.ok(sending.failed.length > 0, 'the disk was full');
  await conserved(world, sending.accepted);
  return `named after ${namedAfter} ms, healthy ${seconds.toFixed(0)} s after space was free, ${sending.accepted.size} accepted, ${sending.failed.length} refused meanwhile`;
};
