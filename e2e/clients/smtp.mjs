/**
 * `node e2e/clients/smtp.mjs [folder of a local start]`: sends through SMTP submission with swaks and msmtp, and checks that
 * the messages arrived. Run manually, because both are Debian packages: apt-get install swaks msmtp libnet-ssleay-perl
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const home = process.argv[2] ?? '.postern';
const { submission, email, mailbox_url: mailboxUrl } = JSON.parse(readFileSync(join(home, 'ready.json'), 'utf8'));
const { host, port } = submission;
const { api_key: key, domain } = email.production;
const FROM = `smtp@${domain}`;

/** Each program gets the API key from standard input or the environment, not as an argument. */
const PROGRAMS = {
  swaks: ({ to, subject }) => ({
    args: ['--server', host, '--port', port, '--tls', '--auth', 'PLAIN', '--from', FROM, '--to', to].concat([
      '--auth-user',
      'postern',
      '--header',
      `Subject: ${subject}`,
      '--body',
      'Sent with swaks.',
      '--protect-prompt',
    ]),
    input: `${key}\n`,
  }),
  msmtp: ({ to, subject }) => ({
    args: [`--host=${host}`, `--port=${port}`, '--tls=on', '--tls-certcheck=off', '--auth=plain'].concat([
      '--user=postern',
      '--passwordeval=printf %s "$POSTERN_EMAIL_KEY"',
      `--from=${FROM}`,
      to,
    ]),
    input: `From: ${FROM}\nTo: ${to}\nSubject: ${subject}\n\nSent with msmtp.\n`,
  }),
};

const send = async (program, { args, input }) => {
  const env = { ...process.env, POSTERN_EMAIL_KEY: key };
  const child = spawn(program, args.map(String), { env });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [printed, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`ended with ${code}: ${(printed + errors).replaceAll(key, '…').slice(-500)}`);
};

const arrived = async ({ to, subject }) => {
  for (let attempt = 0; attempt < 100; attempt++) {
    const messages = await (await fetch(`${mailboxUrl}/messages?to=${encodeURIComponent(to)}`)).json();
    if (messages.some(message => message.subject === subject)) return;
    await delay(100);
  }
  throw new Error('the message did not arrive');
};

for (const [program, invocation] of Object.entries(PROGRAMS)) {
  const message = { to: `${program}@customers.test`, subject: `With ${program} ${Date.now()}` };
  const outcome = await send(program, invocation(message))
    .then(() => arrived(message))
    .then(
      () => 'works',
      error => `failed: ${error.message}`,
    );
  console.log(`${program}: ${outcome}`);
  if (outcome !== 'works') process.exitCode = 1;
}
