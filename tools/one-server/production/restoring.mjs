/** Checks of backups: to a time under load, on an empty machine, and of an archive that cannot be written. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { INTERNET } from './machine.mjs';
import { emailService, eventually, isHealthy, load, message, signedIn, statusOf } from './sending.mjs';

const ARCHIVE = '/var/backups/postern/wal';

/** An endpoint of webhooks on the internet. @returns the events of each message that it received. */
const webhookReceiver = async () => {
  const events = new Map();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      const { event, email_id } = JSON.parse(body);
      events.set(email_id, [...(events.get(email_id) ?? []), event]);
      response.end('OK');
    });
  });
  await new Promise(resolve => server.listen(8100, INTERNET.address, resolve));
  return { events, url: `http://${INTERNET.address}:8100/events`, stop: () => server.close() };
};

const backedUp = async server => {
  const printed = await server.exec('postern backup');
  assert.match(printed, /Restored into a scratch cluster with archived WAL: \d+ events, complete/);
  return /^Backup: (.*)$/m.exec(printed)?.[1];
};

const iso = time => new Date(time).toISOString();

/** Which of the messages the API knows. */
const known = async (service, ids) => {
  const found = [];
  for (const id of ids) {
    const answer = await service.client.email(service.key, id).then(
      () => true,
      error => {
        assert.match(error.message, /answered 404/);
        return false;
      },
    );
    if (answer) found.push(id);
  }
  return found;
};

/** Times that cannot be restored are refused with the range that can be. */
const refusals = async (world, path, endedAt) => {
  const restoring = (time, options = '--yes') =>
    world.server.exec(`postern restore ${path} --target-time '${time}' ${options}`, { input: world.state.recoveryKey });
  const range = /This backup can be restored to times from 20\S+Z to 20\S+Z\./;
  for (const [time, reason] of [
    [iso(Date.now() + 86_400_000), /is in the future/],
    [iso(Date.parse(endedAt) - 1), /is before the end of this backup/],
  ]) {
    await assert.rejects(restoring(time), reason);
    await assert.rejects(restoring(time), range);
  }
  await assert.rejects(restoring('yesterday'), /--target-time must be a time as in RFC 3339/);
  await assert.rejects(restoring(iso(Date.now()), ''), /add --yes/);
  await isHealthy(world.server);
};

/** To a time within the load: messages before it are there with their webhooks, those after it are not. */
const toATime = async (world, service, receiver) => {
  const { server, state } = world;
  const early = load(world, service, 'early');
  const path = await backedUp(server);
  const { wal } = JSON.parse(await server.exec(`cat ${path}/manifest.json`));
  await refusals(world, path, wal.endedAt);
  await early.stop();
  const sending = load(world, service, 'target');
  await world.pause(5_000);
  const target = Date.now();
  await world.pause(5_000);
  await sending.stop();
  assert.deepEqual(sending.failed, []);
  const before = [...early.messages, ...sending.messages].filter(({ acceptedAt }) => acceptedAt < target);
  const after = sending.messages.filter(({ sentAt }) => sentAt > target);
  assert.ok(before.length > 10 && after.length > 10, 'there is load before and after the time');
  const printed = await server.exec(`postern restore ${path} --target-time ${iso(target)} --yes`, {
    input: state.recoveryKey,
  });
  assert.ok(printed.includes(`Postern has no record of messages that were sent after ${iso(target)}`), printed);
  assert.match(printed, /disks and the backups of workspaces have the state of the backup/);
  service.client = await signedIn(world);
  const ids = before.map(({ id }) => id);
  assert.deepEqual(await known(service, ids), ids, 'every message before the time is there');
  assert.deepEqual(
    await known(
      service,
      after.map(({ id }) => id),
    ),
    [],
    'no message after the time is there',
  );
  await eventually(world, 120_000, async () => {
    const missing = ids.filter(id => !receiver.events.get(id)?.includes('delivered'));
    assert.deepEqual(missing, [], 'every message before the time has its webhook');
  });
  // The consumers of events noticed that another log continues.
  assert.match(await server.exec('postern doctor --no-mail || true'), /another log began at/);
  return { before: before.length, after: after.length };
};

/** Nothing but the packages, the release and the folder of backups; with the WAL since the backup that the restore made. */
const onEmptyMachine = async (world, service) => {
  const { server, state } = world;
  const sent = await service.client.send(service.key, message('ok-before-loss@receiver.example.net'));
  assert.equal(sent.status, 200);
  const target = Date.now();
  const listed = (await server.exec('postern backup list')).trim().split('\n');
  assert.match(listed.at(-1), /times from 20\S+Z to 20\S+Z$/);
  assert.match(await server.exec('postern status'), /restorable {3}from 20\S+Z to 20\S+Z/);
  const path = listed.at(-1).split(' ')[0];
  const files = await server.exec(`ls ${path} && find ${ARCHIVE} -type f`);
  for (const file of files.trim().split('\n')) assert.match(file, /\.age$|\.incomplete$|^manifest\.json$/);
  // What is written until the end is archived when PostgreSQL stops.
  await world.pause(2_000);
  await server.exec('postern uninstall --purge --yes && rm -rf /etc/postern /var/lib/postern');
  const wrong = `AGE-SECRET-KEY-1${'Q'.repeat(58)}`;
  await assert.rejects(server.exec(`postern restore ${path}`, { input: wrong }), /not the recovery key/);
  await server.exec(`postern restore ${path} --target-time ${iso(target)}`, { input: state.recoveryKey });
  service.client = await signedIn(world);
  assert.deepEqual(await known(service, [sent.json.id]), [sent.json.id]);
  const again = await service.client.send(service.key, message('ok-after-restore@receiver.example.net'));
  assert.equal(again.status, 200);
  await eventually(world, 60_000, async () => assert.equal(await statusOf(service, again.json.id), 'delivered'));
};

const SWITCH = `runuser -u postgres -- psql -q -h /run/postern-postgresql -d postgres -c 'SELECT txid_current()' -c 'SELECT pg_switch_wal()' > /dev/null`;

/** An archive that cannot be written is shown; PostgreSQL keeps 1 GiB for it, and a new backup ends the gap. */
const brokenArchive = async world => {
  const { server } = world;
  const line = () => server.exec(`postern doctor --no-mail | grep 'WAL archive' || true`);
  assert.match(await line(), /^✓ WAL archive: times from/);
  await server.exec(`chown -R root ${ARCHIVE} && for each in $(seq 70); do ${SWITCH}; done`);
  assert.match(await line(), /^✗ WAL archive: \d+ WAL files wait/);
  await eventually(world, 180_000, async () =>
    assert.match(await server.exec('journalctl --namespace=postern -u postern-postgresql --no-pager'), /is dropped/),
  );
  await server.exec(`chown -R postgres ${ARCHIVE}`);
  await eventually(world, 180_000, async () =>
    assert.match(await line(), /^✗ WAL archive: WAL is missing: no time after 20/),
  );
  await backedUp(server);
  assert.match(await line(), /^✓ WAL archive: times from/);
};

export const restore = async world => {
  const { server } = world;
  const service = await emailService(world);
  const receiver = await webhookReceiver();
  await server.exec(
    `cp /etc/postern/config.yaml /root/before.yaml && sed -i '/^advanced:/,$d' /etc/postern/config.yaml && echo 'advanced: { webhook-dispatch: { POSTERN_WEBHOOKS_ALLOW_PRIVATE: true } }' >> /etc/postern/config.yaml && postern config apply`,
  );
  try {
    await service.client.dashboard('POST', `/email-services/${service.id}/webhooks`, {
      url: receiver.url,
      events: ['delivered'],
    });
    const { before, after } = await toATime(world, service, receiver);
    await brokenArchive(world);
    await onEmptyMachine(world, service);
    return `${before} messages before the time, ${after} after it; on an empty machine with the recovery key only; a broken archive is shown`;
  } finally {
    await server.exec('cat /root/before.yaml > /etc/postern/config.yaml && postern config apply');
    receiver.stop();
  }
};
