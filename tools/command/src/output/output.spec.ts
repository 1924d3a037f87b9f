import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Output } from './output.js';

const HOSTILE = 'Rejected: 550 \u001b]52;c;cm0gLXJm\u0007no such user\u001b[2J';

describe('The output of the command', () => {
  let written = '';
  const capture = () => {
    written = '';
    for (const stream of [process.stdout, process.stderr])
      jest.spyOn(stream, 'write').mockImplementation(text => {
        written += String(text);
        return true;
      });
  };
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each<[string, (output: Output) => void]>([
    ['a result', output => output.result({}, `id  failed\n${HOSTILE}`)],
    ['a table', output => output.rows([], ['NAME'], [[HOSTILE]], 'none')],
    ['a line', output => output.line({}, HOSTILE)],
    ['a note', output => output.note(HOSTILE)],
  ])('removes terminal control sequences from %s', (_, write) => {
    capture();
    write(new Output(false));
    jest.restoreAllMocks();
    expect(written).toContain('no such user');
    expect(written).not.toMatch(/[\u001b\u0007]/);
  });
});
