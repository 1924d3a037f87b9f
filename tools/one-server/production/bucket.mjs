/** The check of backups in a bucket, with an S3 server on the internet. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { INTERNET } from './machine.mjs';
import { emailService, eventually, message, signedIn } from './sending.mjs';

const BUCKET = 'acme-backups';
const ENDPOINT = `http://${INTERNET.address}:9000`;
const CREDENTIALS = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI' };

/** Starts the server with an empty bucket. */
const storage = async world => {
  const child = spawn(world.storageServer, ['-H', INTERNET.address, '-p', '9000'], { stdio: 'ignore' });
  await eventually(world, 60_000, async () => {
    const { ok } = await fetch(`${ENDPOINT}/${BUCKET}`, { method: 'PUT' });
    assert.ok(ok);
  });
  return { stop: () => child.kill() };
};

/** The names of the objects in the bucket. */
const objects = async () => {
  const text = await (await fetch(`${ENDPOINT}/${BUCKET}?list-type=2&max-keys=1000`)).text();
  return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key);
};

const HOME = '/var/lib/postern/platform';
/** Backups of a database and of a key-value store, a disk and its backup, by what they contain. */
const DATA = {
  relational: 'databases/0198d3d1-0000-7000-8000-000000000001/backups/0198d3d1-0000-7000-8000-00000000000a.zst',
  'key-value': 'databases/0198d3d1-0000-7000-8000-000000000002/backups/0198d3d1-0000-7000-8000-00000000000b.zst',
  disk: 'disks/0198d3d1-0000-7000-8000-000000000003.img',
  'backup of the disk': 'disks/0198d3d1-0000-7000-8000-000000000003.backups/0198d3d1-0000-7000-8000-00000000000c.zst',
};
const KEEP_DATA = Object.entries(DATA)
  .map(([content, path]) => `install -D /dev/null ${HOME}/${path} && echo '${content}' > ${HOME}/${path}`)
  .join(' && ');
const READ_DATA = `cd ${HOME} && cat ${Object.values(DATA).join(' ')}`;

const backupsIn = names => [...new Set(names.flatMap(name => /^postern\/(20[^/]*Z)\//.exec(name)?.[1] ?? []))].sort();

export const bucket = async world => {
  const { server, state } = world;
  const service = await emailService(world);
  const stored = await storage(world);
  try {
    await server.exec(
      `cp /etc/postern/config.yaml /root/before.yaml && echo 'backup: { to: "s3://${BUCKET}/postern", endpoint: "${ENDPOINT}", keep: 2 }' >> /etc/postern/config.yaml`,
    );
    await assert.rejects(server.exec('postern config apply'), /run "postern secret set s3-access-key-id"/);
    await server.exec('postern secret set s3-access-key-id', { input: CREDENTIALS.id });
    await server.exec('postern secret set s3-secret-access-key', { input: CREDENTIALS.secret });
    await server.exec('postern config apply');
    // The format of these backups is that of the agent, whose own specs make and restore them.
    await server.exec(KEEP_DATA);
    const made = [];
    for (let number = 0; number < 3; number++)
      made.push(/^Backup: .*\/(.*)$/m.exec(await server.exec('postern backup'))[1]);
    const names = await objects();
    assert.deepEqual(backupsIn(names), made.slice(1), 'two backups are kept in the bucket');
    for (const name of names) assert.match(name, /\.age$|\/manifest\.json$/);
    assert.match(
      await server.exec('postern doctor --no-mail || true'),
      /✓ backup copy: in the bucket until 0 minutes ago/,
    );
    // What is written after the last backup reaches the bucket within two minutes.
    const sent = await service.client.send(service.key, message('ok-in-bucket@receiver.example.net'));
    assert.equal(sent.status, 200);
    const target = new Date().toISOString();
    const written = `${target.slice(0, 19).replaceAll(':', '-')}Z`;
    await eventually(world, 240_000, async () =>
      assert.ok((await objects()).some(name => /\/[0-9A-F]{24}\.(20[^.]*Z)\./.exec(name)?.[1] > written)),
    );
    // The server is lost with its disk: only the recovery key and the bucket are left.
    await server.exec('postern uninstall --purge --yes && rm -rf /etc/postern /var/lib/postern /var/backups/postern');
    const restoring = (name, options = '') =>
      server.exec(
        `export AWS_ACCESS_KEY_ID=${CREDENTIALS.id} AWS_SECRET_ACCESS_KEY=${CREDENTIALS.secret}; postern restore s3://${BUCKET}/postern/${name} --endpoint ${ENDPOINT} ${options}`,
        { input: state.recoveryKey },
      );
    await assert.rejects(restoring('2020-01-01T00-00-00Z'), new RegExp(`Its backups are: .*${made[2]}`));
    const printed = await restoring(made[2], `--target-time ${target}`);
    assert.match(
      printed,
      /has 2 backups of databases and key-value stores, 1 disk of web services, and 1 backup of disks/,
    );
    assert.equal((await server.exec(READ_DATA)).trim(), 'relational\nkey-value\ndisk\nbackup of the disk');
    service.client = await signedIn(world);
    assert.equal((await service.client.email(service.key, sent.json.id)).id, sent.json.id);
    return `${made.length} backups, of which the bucket keeps 2; restored from the bucket to ${target}`;
  } finally {
    await server.exec('cat /root/before.yaml > /etc/postern/config.yaml && postern config apply');
    stored.stop();
  }
};
