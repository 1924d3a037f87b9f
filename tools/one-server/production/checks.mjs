/** What an administrator relies on; each check has a name, and returns what it measured. */
import assert from 'node:assert/strict';
import { bucket } from './bucket.mjs';
import { call, certificateFor, HOST } from './client.mjs';
import { dayTwo, fullDisk } from './day-two.mjs';
import { deployed } from './deploying.mjs';
import { documentedCommands } from './documented.mjs';
import { openPorts, sendMail } from './internet.mjs';
import { powerCut, powerCutInOperations } from './interrupting.mjs';
import { SERVER } from './machine.mjs';
import { upgrade } from './replacing.mjs';
import { restore } from './restoring.mjs';
import { fourteenMonths } from './retaining.mjs';
import { conserved, emailService, eventually, isHealthy, load, message, statusOf } from './sending.mjs';
import { releasedSets } from './sets.mjs';

/** Runs the commands of docs/install.md, and publishes the records when the document says so. */
const fifteenMinutes = async world => {
  const { server, names, state } = world;
  const began = Date.now();
  const commands = documentedCommands();
  for (const block of commands) {
    if (block.includes('postern doctor')) {
      names.publish(await server.exec('cat /root/records.zone'));
      await eventually(world, 60_000, () => call(world.authority.root, 'GET', '/'));
    }
    const printed = await server.exec(block);
    const key = /AGE-SECRET-KEY-1[A-Z0-9]+/.exec(printed)?.[0];
    if (key) state.recoveryKey = key;
    if (block.includes('postern doctor')) state.doctor = printed;
  }
  assert.ok(state.recoveryKey, 'postern install shows the recovery key');
  assert.match(state.doctor, /This server: 0 failed/);
  const lines = commands.flatMap(block =>
    block.split('\n').filter(line => /^[a-z]/.test(line) && !/^(host|apps|mail|acme|operator):/.test(line)),
  );
  assert.ok(lines.length <= 12, `${lines.length} commands`);
  return `${lines.length} commands, ${((Date.now() - began) / 1_000).toFixed(0)} s without downloads`;
};

const mail = async world => {
  const service = await emailService(world);
  const expected = {
    'ok@receiver.example.net': 'delivered',
    'reject@receiver.example.net': 'bounced',
    'later@receiver.example.net': 'bounced',
  };
  for (const [to, status] of Object.entries(expected)) {
    const sent = await service.client.send(service.key, message(to));
    assert.equal(sent.status, 200, sent.text);
    await eventually(world, 60_000, async () => assert.equal(await statusOf(service, sent.json.id), status, to));
  }
  const received = await world.mail.next(({ to }) => to.includes('ok@receiver.example.net'));
  assert.match(received.raw, /^DKIM-Signature: .*d=shop\.example\.com/ms);
  const pixel = /https:\/\/postern\.example\.com(\/[^"]+)"[^>]*(?:width|height)="1"/.exec(
    received.raw.replace(/=\r\n/g, '').replace(/=3D/g, '='),
  )?.[1];
  if (pixel) assert.equal((await call(world.authority.root, 'GET', pixel)).status, 200);
  const processes = await world.server.exec('ps -eo args');
  assert.doesNotMatch(processes, /simulator/);
  await assert.rejects(sendMail(SERVER.address, 25, 'a@example.org', 'someone@elsewhere.example', 'no relay'), /5\d\d/);
  return 'delivered, refused and bounced later';
};

const tls = async world => {
  const { authority, server } = world;
  const certificate = await certificateFor(authority.root, HOST);
  assert.ok(certificate, 'the gateway has a certificate');
  assert.equal(await certificateFor(authority.root, 'unknown-00000000.apps.example.com'), undefined);
  assert.equal(await certificateFor(authority.root, 'elsewhere.example.org'), undefined);
  await server.exec('postern certificate renew');
  // The gateway has just been restarted.
  await eventually(world, 30_000, async () =>
    assert.match(
      await server.exec(
        `openssl s_client -connect 127.0.0.1:465 -servername ${HOST} </dev/null 2>/dev/null | openssl x509 -noout -issuer`,
      ),
      /Caddy Local Authority/,
    ),
  );
  // The front serves what it has while everything behind is away.
  await server.exec(
    'systemctl stop postern-platform-management postern-api-gateway && systemctl restart postern-caddy',
  );
  await eventually(world, 20_000, async () => assert.ok(await certificateFor(authority.root, HOST)));
  await server.exec('postern up');
  return 'gateway and SMTP submission';
};

const webService = async world => {
  const { authority, server, names } = world;
  const { host, id, client } = await deployed(world);
  const answer = await eventually(world, 60_000, () => call(authority.root, 'GET', '/', { host }));
  assert.equal(answer.text, `hello ${host}`);
  const domain = await client.dashboard('POST', `/web-services/${id}/domains`, { domain: 'www.example.com' });
  names.set('www.example.com', 'CNAME', host);
  await eventually(world, 60_000, async () => {
    const { status } = await client.dashboard('POST', `/web-services/${id}/domains/${domain.id}/verify`, {});
    assert.equal(status, 'verified');
  });
  const custom = await eventually(world, 60_000, () => call(authority.root, 'GET', '/', { host: 'www.example.com' }));
  assert.match(custom.text, /^hello /);
  // Without the control plane, and with a front that has just started, both are still served.
  await server.exec(
    'systemctl stop postern-platform-management postern-api-gateway postern-nats && systemctl restart postern-caddy',
  );
  for (const name of [host, 'www.example.com'])
    await eventually(world, 30_000, async () =>
      assert.equal((await call(authority.root, 'GET', '/', { host: name })).status, 200),
    );
  await server.exec('postern up');
  return `${host} and a custom domain, also without the control plane`;
};

const ports = async ({ server }) => {
  const open = await openPorts(Array.from({ length: 65_535 }, (_, index) => index + 1));
  assert.deepEqual(open, [25, 80, 443, 465, 587]);
  // As any other user of the machine, such as the code of a web service without a network of its own.
  for (const port of [8080, 8081, 2526])
    await assert.rejects(
      server.exec(`runuser -u nobody -- bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`),
      undefined,
      `port ${port} refuses other users`,
    );
  await assert.rejects(
    server.exec(
      `runuser -u nobody -- psql -h /run/postern-postgresql -d postern_email_send -U postern_email_send -c 'SELECT 1'`,
    ),
    /Peer authentication failed/,
  );
  return `${open.join(', ')} are open`;
};

const mainProcesses = async server => {
  const units = (
    await server.exec("systemctl list-units 'postern-*.service' --state=running --plain --no-legend | cut -d' ' -f1")
  )
    .trim()
    .split('\n');
  const pids = await Promise.all(
    units.map(async unit => [unit, (await server.exec(`systemctl show -p MainPID --value ${unit}`)).trim()]),
  );
  return new Map(pids.filter(([, pid]) => pid !== '0'));
};

const kill = async world => {
  const { server } = world;
  const slowest = { unit: '', seconds: 0 };
  for (const [unit, pid] of await mainProcesses(server)) {
    const began = Date.now();
    await server.exec(`kill -9 ${pid}`);
    await eventually(world, 60_000, async () => {
      assert.notEqual((await mainProcesses(server)).get(unit) ?? pid, pid, `${unit} has a new process`);
      await isHealthy(server);
    });
    const seconds = (Date.now() - began) / 1_000;
    if (seconds > slowest.seconds) Object.assign(slowest, { unit, seconds });
  }
  await server.exec(`kill -9 ${[...(await mainProcesses(server)).values()].join(' ')}`);
  const began = Date.now();
  await eventually(world, 60_000, () => isHealthy(server));
  return `slowest ${slowest.unit} ${slowest.seconds.toFixed(0)} s, all at once ${((Date.now() - began) / 1_000).toFixed(0)} s`;
};

const reboot = async world => {
  const { server } = world;
  const began = Date.now();
  await server.shutDown();
  const down = (Date.now() - began) / 1_000;
  assert.ok(down < 60, `the shutdown took ${down} s`);
  await server.boot();
  await eventually(world, 120_000, () => isHealthy(server));
  return `down in ${down.toFixed(0)} s, ready ${((Date.now() - began) / 1_000 - down).toFixed(0)} s later`;
};

const config = async world => {
  const { server } = world;
  assert.equal(await server.exec('postern config apply'), 'No changes.\n');
  const before = await server.exec(
    'find /etc /var/lib/postern/rendered.json -newer /etc/postern/config.yaml -type f | sort | xargs sha256sum',
  );
  for (const [change, reason] of [
    ['s/^host:/hots:/', /hots: is not a setting; did you mean "host"\?/],
    ['s/direct/carrier-pigeon/', /mail\.send: must be "direct", or the URL/],
    [
      's|direct|smtps://user@smtp.example.net|',
      /the password of the relay is missing; run "postern secret set relay-password"/,
    ],
    ['$a advanced: { email-send: { POSTERN_LOG_LEVEL: loud } }', /advanced\.email-send\.POSTERN_LOG_LEVEL: /],
    ['$a advanced: { email-send: { POSTERN_BOUNCE_DOMAIN: x } }', /follows from the rest of config\.yaml/],
  ]) {
    await server.exec(`cp /etc/postern/config.yaml /root/config.yaml && sed -i '${change}' /etc/postern/config.yaml`);
    await assert.rejects(server.exec('postern config apply'), reason);
    await server.exec('cat /root/config.yaml > /etc/postern/config.yaml');
  }
  assert.equal(
    await server.exec(
      'find /etc /var/lib/postern/rendered.json -newer /etc/postern/config.yaml -type f | sort | xargs sha256sum | head -0; true',
    ),
    '',
  );
  void before;
  const pids = await mainProcesses(server);
  await server.exec(`echo 'advanced: { webhook-dispatch: { POSTERN_LOG_LEVEL: debug } }' >> /etc/postern/config.yaml`);
  const shown = await server.exec('postern config apply');
  assert.match(shown, /\+Environment="POSTERN_LOG_LEVEL=debug"/);
  const changed = [...(await mainProcesses(server))]
    .filter(([unit, pid]) => pids.get(unit) !== pid)
    .map(([unit]) => unit);
  assert.deepEqual(changed, ['postern-webhook-dispatch.service']);
  assert.equal(await server.exec('postern config apply'), 'No changes.\n');
  return 'only webhook-dispatch was restarted';
};

const restart = async world => {
  const { server } = world;
  const service = await emailService(world);
  const sending = load(world, service, 'restart');
  await server.exec('postern restart');
  await sending.stop();
  assert.deepEqual(sending.failed, []);
  await conserved(world, sending.accepted);
  return `${sending.accepted.size} of ${sending.accepted.size} requests answered 200`;
};

export const CHECKS = {
  'fifteen-minutes': fifteenMinutes,
  mail,
  tls,
  'web-service': webService,
  ports,
  config,
  restart,
  kill,
  reboot,
  'power-cut': powerCut,
  'power-cut-in-operations': powerCutInOperations,
  upgrade,
  'released-sets': releasedSets,
  restore,
  bucket,
  'day-two': dayTwo,
  'full-disk': fullDisk,
  'fourteen-months': fourteenMonths,
};
