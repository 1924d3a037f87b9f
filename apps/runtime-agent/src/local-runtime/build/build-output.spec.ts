import { describe, expect, it } from '@jest/globals';
import type { LogWriter } from '@postern/runtime';
import { BuildOutput } from './build-output.js';

const outputWith = (secrets: readonly string[], mostBytes = 1_000) => {
  const log: string[] = [];
  const writer: LogWriter = { write: (_, text) => log.push(String(text)), close: async () => {} };
  return { log, output: new BuildOutput(writer, mostBytes, secrets) };
};

describe('The output of a build', () => {
  it('has no secret in the log and in the reason of a failure, even if the other stream separates its parts', () => {
    const { log, output } = outputWith(['hunter22']);
    output.take(Buffer.from('key hunt'), 'stdout');
    output.take(Buffer.from('warning\n'), 'stderr');
    output.take(Buffer.from('er22'), 'stdout');
    output.end();
    expect(log).toEqual(['warning\n', 'key ********\n']);
    expect(output.last).toBe('warning\nkey ********\n');
  });

  it('beyond the limit is only in the reason of a failure, without secrets', () => {
    const { log, output } = outputWith(['hunter22'], 10);
    const chunks = ['0123456789\nhunt', 'er22\nkey hunt', 'er22\nlast'];
    for (const chunk of chunks) output.take(Buffer.from(chunk), 'stdout');
    output.end();
    expect(log).toEqual(['0123456789\n', 'Output beyond 0 MiB is not kept; the build continues\n']);
    expect(output.last).toBe('0123456789\nkey ********\nlast\n');
  });

  it('keeps only its last characters beyond the limit', () => {
    const { output } = outputWith([], 10);
    for (let line = 0; line < 5_000; line += 1) output.take(Buffer.from(`line ${line}\n`), 'stderr');
    output.end();
    expect(output.last.length).toBeLessThanOrEqual(32_768);
    expect(output.last.endsWith('line 4998\nline 4999\n')).toBe(true);
  });
});
