import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, it } from '@jest/globals';
import { readWholeLines } from './whole-lines.js';

const takenFrom = async (...chunks: readonly string[]): Promise<readonly string[]> => {
  const output = new PassThrough();
  const taken: string[] = [];
  readWholeLines(output, lines => taken.push(Buffer.concat(lines).toString()));
  for (const chunk of chunks) {
    output.write(chunk);
    await new Promise(setImmediate);
  }
  output.end();
  await finished(output, { writable: false });
  return taken;
};

it('forwards all complete lines of a chunk at once', async () => {
  expect(await takenFrom('one\ntwo\nthree\n')).toEqual(['one\ntwo\nthree\n']);
});

it('forwards a line that arrives in parts once it is complete', async () => {
  expect(await takenFrom('one\ntw', 'o', '\nthree\n')).toEqual(['one\n', 'two\nthree\n']);
});

it('terminates a last line without a line break', async () => {
  expect(await takenFrom('one\ntwo')).toEqual(['one\n', 'two\n']);
});

it('forwards a line of more than a mebibyte in parts', async () => {
  const half = 'x'.repeat(600 * 1024);
  expect(await takenFrom(half, half, 'end\n')).toEqual([`${half}${half}\n`, 'end\n']);
});
