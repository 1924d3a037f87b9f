import { describe, expect, it } from '@jest/globals';
import { redactor } from '../redactor.js';
import { OutputLines } from './output-lines.js';

const linesOf = (
  secrets: readonly string[],
  ...chunks: readonly (readonly ['stdout' | 'stderr', string | Buffer])[]
) => {
  const lines: string[] = [];
  const output = new OutputLines(
    () => redactor(secrets),
    line => lines.push(line),
  );
  for (const [stream, chunk] of chunks) output.push(Buffer.from(chunk), stream);
  output.end();
  return lines;
};

describe('The lines of the output of a command', () => {
  it('contain no secret whose parts are separated by output of the other stream', () => {
    expect(linesOf(['hunter22'], ['stdout', 'key hunt'], ['stderr', 'warning\n'], ['stdout', 'er22\n'])).toEqual([
      'warning',
      'key ********',
    ]);
  });

  it('contain no secret of several short lines that are separated by output of the other stream', () => {
    const pin = 'ab1\ncd2\nef3';
    const lines = linesOf([pin], ['stdout', 'ab1\nc'], ['stderr', 'warning\n'], ['stdout', 'd2\nef3\n']);
    expect(lines).toEqual(['warning', '********']);
  });

  it('contain no secret of which a character is separated by output of the other stream', () => {
    const secret = Buffer.from('pässwörd\n');
    const output = linesOf(
      ['pässwörd'],
      ['stderr', secret.subarray(0, 2)],
      ['stdout', '…\n'],
      ['stderr', secret.subarray(2)],
    );
    expect(output).toEqual(['…', '********']);
  });

  it('are whole although both streams are written at once', () => {
    expect(linesOf([], ['stdout', 'one '], ['stderr', 'two '], ['stdout', 'first\n'], ['stderr', 'second'])).toEqual([
      'one first',
      'two second',
    ]);
  });
});
