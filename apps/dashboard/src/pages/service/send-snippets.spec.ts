import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '@postern/contracts/request-samples';
import { sendSnippet } from './send-snippets.js';

const run = promisify(execFile);

/** The commands that run a program by language; the other languages are checked by their text. */
const RUN: Readonly<Partial<Record<Language, (program: string) => [file: string, ...args: string[]]>>> = {
  curl: program => ['sh', '-c', program],
  node: program => [process.execPath, '--input-type=module', '-e', program],
  python: program => ['python3', '-c', program],
};

const startReceiver = async () => {
  const received: { method: string; url: string; key: unknown; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    received.push({ method, url, key: headers['api-key'], body: JSON.parse(Buffer.concat(chunks).toString()) });
    response.setHeader('content-type', 'application/json').end('{"id":"1"}');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { received, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
};

it.each(LANGUAGES.filter(([language]) => RUN[language]))(
  'The example in %s sends the message',
  async (language, _name) => {
    const { received, origin, stop } = await startReceiver();
    const program = sendSnippet(language, { origin, key: 'em_live_1', from: "o'a@x.test", to: 'b@x.test' });
    const [file = '', ...args] = RUN[language]!(program);
    const { NODE_OPTIONS: _, ...env } = process.env;
    await run(file, args, { timeout: 60_000, env });
    stop();

    expect(received).toEqual([
      {
        method: 'POST',
        url: '/emails',
        key: 'em_live_1',
        body: { from: "o'a@x.test", to: ['b@x.test'], subject: 'Hello', text: 'It works.' },
      },
    ]);
  },
);

it.each(LANGUAGES)('The example in %s has the key, the addresses and the URL filled in', (language, _name) => {
  const program = sendSnippet(language, {
    origin: 'https://m.test',
    key: 'em_live_1',
    from: 'a@x.test',
    to: 'b@x.test',
  });
  for (const part of ['https://m.test/emails', 'em_live_1', '"from": "a@x.test"', '"b@x.test"'])
    expect(program).toContain(part);
});
