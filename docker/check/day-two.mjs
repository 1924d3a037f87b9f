/** What an operator does with a running installation, under load: restart, upgrade, return, back up and restore, and what fails. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { containerOf } from './engine.mjs';
import { demand, print } from './report.mjs';

const run = promisify(execFile);
const TO = 'delivered@simulator.test';
const CLIENTS = 4;
const PAUSE_MS = 50;
const ARRIVES_WITHIN_MS = 120_000;
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

/** Clients that each send one message after the other, and do not repeat what failed. */
const load = (client, label) => {
  const accepted = [];
  const failed = [];
  let [isRunning, longestMs, number] = [true, 0, 0];
  const sendOne = async () => {
    const subject = `${label} ${number++}`;
    const begun = performance.now();
    const { status, text } = await client.trySending(TO, subject);
    longestMs = Math.max(longestMs, performance.now() - begun);
    // A message whose outcome is unknown after a crash is answered, too: "failed".
    if (status === 200 && JSON.parse(text).status === 'sent') accepted.push(subject);
    else failed.push(`${status} ${text.slice(0, 200)}`);
    await pause(PAUSE_MS);
  };
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (isRunning) await sendOne();
  });
  return {
    accepted,
    stop: async () => {
      isRunning = false;
      await Promise.all(clients);
      return { accepted, failed, longestMs };
    },
  };
};

/** Waits until each accepted message is in the mailbox. @returns how many more copies are. */
const conserved = async (client, accepted) => {
  const deadline = Date.now() + ARRIVES_WITHIN_MS;
  for (;;) {
    const copies = new Map(accepted.map(subject => [subject, 0]));
    for (const subject of await client.subjectsFor(TO))
      if (copies.has(subject)) copies.set(subject, copies.get(subject) + 1);
    const missing = [...copies].filter(([, number]) => number === 0).map(([subject]) => subject);
    if (missing.length === 0) return [...copies.values()].reduce((sum, number) => sum + number - 1, 0);
    if (Date.now() > deadline) throw new Error(`${missing.length} accepted messages are lost: ${missing.join(', ')}`);
    await pause(500);
  }
};

/** @returns what became of the requests while `action` ran, after which messages are accepted again. */
const underLoad = async (client, label, action) => {
  const sending = load(client, label);
  await pause(2_000);
  const begun = performance.now();
  await action();
  const seconds = (performance.now() - begun) / 1_000;
  // Requests that wait are part of the load; new ones show that everything runs again.
  const before = sending.accepted.length;
  const deadline = Date.now() + ARRIVES_WITHIN_MS;
  while (sending.accepted.length < before + 2 * CLIENTS && Date.now() < deadline) await pause(100);
  const { accepted, failed, longestMs } = await sending.stop();
  const more = await conserved(client, accepted);
  const report =
    `${label}, ${seconds.toFixed(1)} s: ${accepted.length} messages accepted and delivered, ${more} of them twice, ` +
    `${failed.length} requests failed, the longest took ${(longestMs / 1_000).toFixed(1)} s`;
  print(failed.length === 0 ? report : `${report}; ${[...new Set(failed)].join('; ')}`);
  return { accepted, failed, more };
};

/** Repeats a check until it returns true. */
const until = async (what, check) => {
  const deadline = Date.now() + ARRIVES_WITHIN_MS;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`not so within ${ARRIVES_WITHIN_MS / 1_000} s: ${what}`);
    await pause(500);
  }
};

/** The shell commands of docs/compose.md below a heading. */
const documented = heading => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/compose.md'), 'utf8').split(`${heading}\n`)[1] ?? '';
  return [...(text.split(/\n#+ /)[0] ?? '').matchAll(/```sh\n([^`]*)```/g)].map(([, commands]) => commands);
};

const answering = page =>
  until('the web service answers', async () => (await page()).text === 'Hello from a container');

/** Each container is restarted, and each crashes. */
export const dayTwo = async ({ engine, client, compose, page, services }) => {
  const containers = [...services, 'load-balancer', 'nats', 'postgres', 'postfix', 'caddy'];
  for (const service of containers) {
    await underLoad(client, `restart of ${service}`, () => compose('restart', service));
    await answering(page);
    demand(`after a restart of ${service}, everything runs again, and what was accepted has arrived`, true);
  }
  for (const service of containers) {
    const { State } = await engine.inspect(containerOf(service));
    await underLoad(client, `crash of ${service}`, async () => {
      process.kill(State.Pid, 'SIGKILL');
      await until(`${service} runs again`, async () => {
        const { State: now } = await engine.inspect(containerOf(service));
        return now.Running && now.StartedAt !== State.StartedAt;
      });
    });
    await answering(page);
    demand(`after a crash of ${service}, everything runs again, and what was accepted has arrived`, true);
  }
};

const shellIn = (folder, engine) => commands => run('sh', ['-ec', commands], { cwd: folder, env: engine.environment });

/** From one set of images to another, and back, with the commands of the manual. */
export const upgraded = async ({ folder, engine, client, compose, page, services }, { first, second }, renderSet) => {
  const [replace = ''] = documented('### Upgrade');
  const shell = shellIn(folder, engine);
  for (const [what, images] of Object.entries({ upgrade: second, return: first })) {
    renderSet(images);
    const { failed } = await underLoad(client, what, () => shell(replace));
    demand(`no request fails during the ${what}`, failed.length === 0);
    for (const service of services) {
      const { Config } = await engine.inspect(await compose('ps', '--quiet', service));
      demand(`${service} runs from ${images[service]}`, Config.Image === images[service], Config.Image);
    }
    await answering(page);
  }
  // Its mail library keeps the address of delivery-tracking for five minutes.
  await compose('restart', 'mail-simulator');
};

/** Runs the commands of docs/compose.md in the folder of compose.yaml, with its secrets instead of /etc/postern. */
export const restored = async ({ folder, engine, client, page }) => {
  const [backUp = '', restore = ''] = documented('### Back up and restore');
  const shell = shellIn(folder, engine);
  const before = await client.send(TO, 'Before the backup');
  await client.becomes(before.id, 'delivered');
  const { failed } = await underLoad(client, 'backup', () => shell(backUp.replace('/ etc/postern', '. secrets')));
  demand('no request fails during a backup', failed.length === 0);
  const after = await client.send(TO, 'After the backup');
  await shell(restore);
  await until('messages are accepted again', async () => (await client.trySending(TO, 'Restored')).status === 200);
  await client.becomes(before.id, 'delivered');
  demand('after a restore, a message of before the backup has its status', true);
  const { status } = await client.front.call('GET', `/emails/${after.id}`, { headers: { 'api-key': client.key } });
  demand('and one of after the backup is not known to the API', status === 404, String(status));
  await client.becomes((await client.send(TO, 'After the restore')).id, 'delivered');
  demand('and a new one is delivered', true);
  await answering(page);
};
