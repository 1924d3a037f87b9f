import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Output, printable } from './output.js';
import { table } from './table.js';

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

  it('keeps line breaks and tabs', () => {
    expect(printable('\u009b31m\b\rall is well\n\tnext\r\n')).toBe('31mall is well\n\tnext\r\n');
  });

  it('has one line per row of a table, independent of the content of a cell', () => {
    expect(table(['NAME', 'STATUS'], [['a\nb  bad\r\n', 'good']])).toBe('NAME     STATUS\na b bad  good');
  });
});
