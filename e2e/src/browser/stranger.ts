/**
 * The program behind `npm run browser -- stranger`: follows the repository, the documentation and the dashboard as a new user
 * would, from a clone to a verified webhook on the user's own server and a deployed application, and times each step.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitFor } from '@postern/testing';
import type { Browser, Page } from 'puppeteer-core';
import { logIn, openBrowser } from './open-browser.js';
import { clickButton, codeOf, fill, openForm, sectionOf, untilText } from './page-actions.js';
import { StartedProgram } from './started-program.js';

const ROOT = join(import.meta.dirname, '../../..');
const INSTALL_WITHIN_MS = 30 * 60_000;
const PROGRAM_WITHIN_MS = 120_000;

const folder = await mkdtemp(join(tmpdir(), 'postern-stranger-'));
const programs: StartedProgram[] = [];
const times: { readonly step: string; readonly seconds: number }[] = [];
let browser: Browser | undefined;

const step = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
  const begunAt = Date.now();
  const result = await work();
  times.push({ step: name, seconds: (Date.now() - begunAt) / 1_000 });
  console.log(`✓ ${name} (${times.at(-1)?.seconds.toFixed(1)} s)`);
  return result;
};

const start = (command: string, cwd: string, environment: Record<string, string> = {}): StartedProgram => {
  const program = new StartedProgram(
    spawn('bash', ['-c', command], { cwd, env: { ...process.env, ...environment }, detached: true }),
  );
  programs.push(program);
  return program;
};

/** The line of a shell code block that contains a text. @throws if the document has none. */
const commandIn = (document: string, text: string): string => {
  const blocks = [...document.matchAll(/```sh.*\n([^`]*)```/g)].map(([, block = '']) => block);
  const line = blocks.flatMap(block => block.split('\n')).find(each => each.includes(text));
  if (line === undefined) throw new Error(`the document has no command with ${text}`);
  return line.replace(/ +#.*$/, '');
};

const clone = join(folder, 'postern');
const server = join(folder, 'server');

const run = async (): Promise<void> => {
  await step('Clone the repository', async () => {
    const { code } = await start(`git clone --quiet ${ROOT} ${clone} && mkdir ${server}`, folder).ended;
    if (code !== 0) throw new Error('the repository cannot be cloned');
  });
  const printed = await step('Install, build and start it, as the README says', async () => {
    const command = commandIn(readFileSync(join(clone, 'README.md'), 'utf8'), 'npm start');
    const postern = start(command, clone, { POSTERN_PORT: String(await freePort()) });
    return postern.until(/Dashboard +(\S+) +(\S+) \/ (\S+)/, INSTALL_WITHIN_MS);
  });
  const [, dashboard = '', email = '', password = ''] = printed;
  const origin = new URL(dashboard).origin;
  browser = await openBrowser();
  const page = await browser.newPage();
  await step('Log in to the dashboard with what was printed', () => logIn(page, origin, { email, password }));
  await step('Create an email service', async () => {
    await page.goto(`${origin}/dashboard/email-services`, { waitUntil: 'networkidle2' });
    await openForm(page, 'New email service');
    await fill(page, 'name', 'My application');
    await clickButton(page, 'Create email service');
    await page.waitForSelector('ol.steps');
  });
  await step('Create a key, and send a test message', async () => {
    await clickButton(page, 'Create API key');
    await clickButton(page, 'Done, I saved it');
    await clickButton(page, 'Send a test message');
    await untilText(page, 'Sent. The message is on its way');
  });
  await step('Send a message from a program, with the example of the dashboard', async () => {
    await clickButton(page, 'Node.js');
    writeFileSync(join(server, 'send.mjs'), await codeOf(page, '/emails'));
    await start('node send.mjs', server).until(/200 .*sent/s, PROGRAM_WITHIN_MS);
  });
  const service = page.url();
  await step('See in the dashboard that it was delivered', async () => {
    await page.goto(`${service}/messages`, { waitUntil: 'networkidle2' });
    await clickButton(page, 'Hello', 'main a');
    await untilText(page, 'Delivered');
  });
  await receiveEvents(page, origin, service);
  await deployApplication(page, origin);
};

/** Follows the webhook documentation until the user's own server has verified an event. */
const receiveEvents = async (page: Page, origin: string, service: string): Promise<void> => {
  const port = await freePort();
  const url = `http://localhost:${port}/`;
  await step('Find how to verify webhooks in the documentation', async () => {
    await page.goto(`${origin}/docs`, { waitUntil: 'networkidle2' });
    await clickButton(page, 'Verify webhooks', 'main a');
    await page.waitForFunction(() => document.title.includes('Verify webhooks'));
    writeFileSync(join(server, 'receiver.mjs'), await codeOf(page, 'createServer', await sectionOf(page, 'Node.js')));
  });
  const secret = await step('Create a webhook in the dashboard', async () => {
    await page.goto(`${service}/webhooks`, { waitUntil: 'networkidle2' });
    await openForm(page, 'New webhook');
    await fill(page, 'url', url);
    await clickButton(page, 'Create webhook');
    await untilText(page, 'whsec_');
    return codeOf(page, 'whsec_', '.secret code');
  });
  const receiver = start('node receiver.mjs', server, { WEBHOOK_SECRET: secret, PORT: String(port) });
  await step('Send another message, and receive its verified event', async () => {
    await waitFor(
      () =>
        fetch(url, { method: 'POST', body: 'forged' }).then(
          ({ status }) => status === 401,
          () => false,
        ),
      {
        timeoutMs: PROGRAM_WITHIN_MS,
        describe: 'the server to refuse a request without a signature',
      },
    );
    await start('node send.mjs', server).until(/200 .*sent/s, PROGRAM_WITHIN_MS);
    await receiver.until(/delivered [0-9a-f-]{36} \S+@/, PROGRAM_WITHIN_MS);
  });
  await step('See in the dashboard that the server took it', async () => {
    await page.goto(`${service}/webhooks`, { waitUntil: 'networkidle2' });
    await clickButton(page, url, 'main a');
    await untilText(page, 'Accepted', 'main .delivery summary');
  });
};

/** Follows the documentation until an application of the user answers in the browser. */
const deployApplication = async (page: Page, origin: string): Promise<void> => {
  const codeOfPage = async (path: string, text: string): Promise<string> => {
    await page.goto(`${origin}/docs${path}`, { waitUntil: 'networkidle2' });
    return codeOf(page, text);
  };
  const environment = await step('Set the variables of the examples, as the documentation says', async () => {
    const { printed } = await start(`${await codeOfPage('', 'POSTERN_PLATFORM_KEY=')}\nenv`, clone).ended;
    const variables = [...printed.matchAll(/^(POSTERN_\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
    return { ...Object.fromEntries(variables), HOME: server, PATH: `${server}/.local/bin:${process.env['PATH']}` };
  });
  await step('Install the postern command', async () => {
    const [install = ''] = (await codeOfPage('/command', '/install.sh')).split('\n');
    const { code, printed } = await start(install, server, environment).ended;
    if (code !== 0) throw new Error(`the command is not installed: ${printed}`);
  });
  const url = await step('Deploy an application, as the platform quick start says', async () => {
    const deploy = start(await codeOfPage('/platform/quick-start', 'postern deploy my-app'), server, environment);
    return (await deploy.until(/Live: (\S+)/, PROGRAM_WITHIN_MS))[1] ?? '';
  });
  await step('Open the application', async () => {
    await page.goto(url);
    await untilText(page, 'Hello from my application', 'body');
  });
};

try {
  await run();
  const total = times.reduce((sum, { seconds }) => sum + seconds, 0);
  console.log(
    `\nFrom a clone to a verified webhook and a deployed application in ${total.toFixed(0)} s, ${times.length} steps`,
  );
} catch (error) {
  console.error(`✕ after ${times.at(-1)?.step ?? 'nothing'}: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await browser?.close();
  for (const program of programs.reverse()) await program.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();
