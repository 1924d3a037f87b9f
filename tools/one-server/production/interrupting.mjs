/** Power cuts at random moments: under load, and inside of operations. */
import assert from 'node:assert/strict';
import { otherRelease, runningRelease } from './replacing.mjs';
import { conserved, emailService, eventually, isHealthy, load } from './sending.mjs';

const UNDER_LOAD = 6;

/** Cuts the power, turns the machine on, and waits until it is healthy. @returns the seconds that this took. */
const cutAndBoot = async world => {
  const { server } = world;
  await server.cutPower();
  const began = Date.now();
  await server.boot();
  await eventually(world, 120_000, () => isHealthy(server));
  return (Date.now() - began) / 1_000;
};

export const powerCut = async world => {
  const service = await emailService(world);
  const times = [];
  for (let cut = 0; cut < UNDER_LOAD; cut++) {
    const sending = load(world, service, `cut${cut}`);
    await world.pause(2_000 + Math.random() * 3_000);
    times.push(await cutAndBoot(world));
    await sending.stop();
    await conserved(world, sending.accepted);
  }
  return `back after ${times.map(time => time.toFixed(0)).join(', ')} s`;
};

/** Each operation, with the longest time after which the power fails, and how often. */
const OPERATIONS = [
  { name: 'install', command: 'postern install --force', withinMs: 15_000, times: 3 },
  {
    name: 'config apply',
    command: `sed -i '/^advanced:/,$d' /etc/postern/config.yaml; echo "advanced: { webhook-dispatch: { POSTERN_LOG_LEVEL: $LEVEL }, email-send: { POSTERN_LOG_LEVEL: $LEVEL } }" >> /etc/postern/config.yaml; postern config apply`,
    withinMs: 8_000,
    times: 4,
  },
  { name: 'backup', command: 'postern backup', withinMs: 8_000, times: 3 },
  { name: 'upgrade', command: 'postern upgrade $VERSION', withinMs: 40_000, times: 4 },
];

/** What an operation leaves after a power cut is continued by `postern resume`, and nothing is lost. */
export const powerCutInOperations = async world => {
  const { server } = world;
  const service = await emailService(world);
  const [first, second] = [await runningRelease(server), '2026.12.5'];
  await otherRelease(server, second);
  await server.exec('cp /etc/postern/config.yaml /root/before-cuts.yaml');
  const done = [];
  for (const { name, command, withinMs, times } of OPERATIONS)
    for (let cut = 0; cut < times; cut++) {
      const sending = load(world, service, `${name.replace(' ', '-')}${cut}`, 300);
      const version = (await runningRelease(server)) === first ? second : first;
      const started = server
        .exec(`LEVEL=${cut % 2 === 0 ? 'debug' : 'warn'}; VERSION=${version}; ${command}`)
        .catch(() => undefined);
      const afterMs = 300 + Math.random() * withinMs;
      await world.pause(afterMs);
      await cutAndBoot(world);
      await started;
      const resumed = await server.exec('postern resume || postern resume');
      await eventually(world, 60_000, () => isHealthy(server));
      const applied = await server.exec('postern config apply | tail -1');
      // An application that had not begun leaves the edited configuration.
      const hadBegun = name !== 'config apply' || !/Nothing/.test(resumed);
      if (hadBegun) assert.equal(applied, 'No changes.\n', `${name} is complete`);
      assert.equal((await server.exec('ls /var/backups/postern | grep -c incomplete || true').then(Number)) <= 1, true);
      await sending.stop();
      await conserved(world, sending.accepted);
      done.push(`${name} after ${(afterMs / 1_000).toFixed(1)} s${/Nothing/.test(resumed) ? '' : ' (resumed)'}`);
    }
  await server.exec('cat /root/before-cuts.yaml > /etc/postern/config.yaml && postern config apply');
  if ((await runningRelease(server)) !== first) await server.exec(`postern upgrade ${first}`);
  return done.join(', ');
};
