import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { createTransport } from 'nodemailer';
import { type MailSimulator, type MailSimulatorOptions, startMailSimulator } from './simulator.js';

describe('the mailboxes over HTTP', () => {
  let simulator: MailSimulator;
  afterEach(() => simulator.stop());

  async function started(subjects: string[], options: MailSimulatorOptions = {}): Promise<void> {
    simulator = await startMailSimulator(options);
    const transport = createTransport({ host: '127.0.0.1', port: simulator.smtpPort, ignoreTLS: true });
    for (const subject of subjects) {
      await transport.sendMail({ from: 'shop@example.com', to: 'ada@x.example', subject, text: 'body' });
    }
  }
  const get = async (path: string) => (await fetch(simulator.mailboxUrl + path)).text();
  const listed = async (): Promise<{ id: string; subject: string }[]> => JSON.parse(await get('/messages'));

  it('list the newest message last and return each one by id', async () => {
    await started(['one', 'two']);
    const messages = await listed();
    expect(messages.map(({ subject }) => subject)).toEqual(['one', 'two']);
    expect(JSON.parse(await get(`/messages/${messages[1]?.id}`))).toEqual(messages[1]);
    expect(await get(`/messages/${messages[1]?.id}/raw`)).toContain('Subject: two');
    expect((await fetch(`${simulator.mailboxUrl}/messages/unknown`)).status).toBe(404);
  });

  it('find a mailbox at an internationalized domain in either form', async () => {
    await started([]);
    const transport = createTransport({ host: '127.0.0.1', port: simulator.smtpPort, ignoreTLS: true });
    await transport.sendMail({ from: 'shop@example.com', to: 'ada@bücher.example', subject: 'one', text: 'body' });

    for (const address of ['ada@bücher.example', 'Ada@xn--bcher-kva.example']) {
      const found = JSON.parse(await get(`/messages?to=${encodeURIComponent(address)}`));
      expect(found).toMatchObject([{ subject: 'one' }]);
    }
    expect(JSON.parse(await get('/messages?to=ada@xn--other.example'))).toEqual([]);
  });

  it('keep no more than the configured number', async () => {
    await started(['one', 'two', 'three'], { keepMessages: 2 });
    expect((await listed()).map(({ subject }) => subject)).toEqual(['two', 'three']);
  });

  it('only count when they keep nothing', async () => {
    await started(['one'], { keepMessages: 0 });
    expect(await listed()).toEqual([]);
    expect(JSON.parse(await get('/health'))).toMatchObject({ status: 'ok', accepted: 1 });
  });

  it('delete everything on request', async () => {
    await started(['one']);
    expect((await fetch(`${simulator.mailboxUrl}/messages`, { method: 'DELETE' })).status).toBe(204);
    expect(await listed()).toEqual([]);
  });

  it('show a hostile subject as text on a page without scripts', async () => {
    await started([`<script>alert(1)</script>"'&`]);
    const page = await fetch(`${simulator.mailboxUrl}/`);
    const html = await page.text();
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
    expect(html).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('reject a message over the announced size', async () => {
    await started([], { maxMessageBytes: 1_000 });
    const transport = createTransport({ host: '127.0.0.1', port: simulator.smtpPort, ignoreTLS: true });
    const mail = { from: 'a@x.example', to: 'b@x.example', text: 'x'.repeat(2_000) };
    await expect(transport.sendMail(mail)).rejects.toMatchObject({ responseCode: 552 });
    expect(await listed()).toEqual([]);
  });

  it('accept pipelined commands', async () => {
    await started([]);
    const socket = connect(simulator.smtpPort, '127.0.0.1');
    const lines = [
      'EHLO x',
      'MAIL FROM:<a@x.example>',
      'RCPT TO:<b@x.example>',
      'DATA',
      'Subject: p',
      '',
      'x',
      '.',
      'QUIT',
      '',
    ];
    let answers = '';
    for await (const chunk of socket) {
      if (answers === '') socket.write(lines.join('\r\n'));
      answers += chunk;
    }
    for (const extension of ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'DSN', 'SIZE']) expect(answers).toContain(extension);
    expect(answers).toContain('250 2.0.0 queued');
    expect(await listed()).toMatchObject([{ subject: 'p' }]);
  });
});

describe('the mail simulator as a process', () => {
  const hook = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({ resolve: (name, context, next) =>
      next(/^\\.\\.?\\/.*\\.js$/.test(name) && context.parentURL?.endsWith('.ts') ? name.replace(/\\.js$/, '.ts') : name, context) });`)}`;

  const start = (stdin: 'ignore' | 'pipe', environment: Record<string, string> = {}) => {
    const flags = ['--experimental-transform-types', '--no-warnings', '--import', hook];
    const process_ = spawn(process.execPath, [...flags, fileURLToPath(new URL('./main.ts', import.meta.url))], {
      env: { ...process.env, ...environment },
      stdio: [stdin, 'pipe', 'inherit'],
    });
    return { process_, ended: new Promise(resolve => process_.once('exit', resolve)) };
  };

  it('prints its ports when it is ready, and exits cleanly on SIGTERM', async () => {
    const { process_, ended } = start('ignore');
    try {
      const [line] = (await process_.stdout?.take(1).toArray()) ?? [];
      const { ready, mailbox_url } = JSON.parse(String(line));
      expect(ready).toBe(true);
      expect((await fetch(`${mailbox_url}/health`)).status).toBe(200);
    } finally {
      process_.kill('SIGTERM');
    }
    expect(await ended).toBe(0);
  });

  it('exits with its parent process when configured', async () => {
    const { process_, ended } = start('pipe', { POSTERN_EXIT_WITH_PARENT: 'true' });
    try {
      await process_.stdout?.take(1).toArray();
      process_.stdin?.destroy();
      await waitFor(() => process_.exitCode !== null, { timeoutMs: 10_000, describe: 'the simulator to end' });
    } finally {
      process_.kill('SIGKILL');
    }
    expect(await ended).toBe(0);
  });
});
