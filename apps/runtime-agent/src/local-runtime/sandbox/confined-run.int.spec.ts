import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConfinedPlace } from '../instances/confinement.js';
import { runConfined } from './confined-run.js';

const never = new AbortController().signal;

describe('A confined command', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-confined-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Drops privileges with a program that is looked up in PATH, as the sandbox does. */
  const place = (): Pick<ConfinedPlace, 'wrap'> => ({
    wrap: argv => ['/bin/sh', '-c', 'exec setpriv --no-new-privs -- "$@"', 'enter', ...argv],
  });

  const outputOf = async (script: string, variables: Record<string, string>): Promise<string> => {
    let output = '';
    await runConfined(
      place() as ConfinedPlace,
      {
        argv: ['/bin/sh', '-c', script],
        directory: folder,
        environment: { PATH: '/usr/bin:/bin' },
        variables,
        onOutput: chunk => {
          output += chunk.toString();
        },
      },
      never,
    );
    return output;
  };

  it('gets its variables only after it drops privileges, so that its PATH cannot redirect the launcher', async () => {
    await writeFile(join(folder, 'setpriv'), '#!/bin/sh\necho astray\n');
    await chmod(join(folder, 'setpriv'), 0o755);
    expect(await outputOf('echo "$PATH"', { PATH: `${folder}:/usr/bin:/bin` })).toBe(`${folder}:/usr/bin:/bin\n`);
  });

  it('does not expose its variables in its arguments', async () => {
    const variables = { TOKEN: 'tok_9f2c' };
    expect(
      await outputOf('tr "\\0" " " < /proc/self/cmdline; tr "\\0" " " < /proc/$PPID/cmdline', variables),
    ).not.toContain('tok_9f2c');
  });

  it('has an empty stdin', async () => {
    expect(await outputOf('cat; echo "end of $WORD"', { WORD: 'input' })).toBe('end of input\n');
  });

  it('accepts more variables than fit into one argument', async () => {
    const variables = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`V${n}`, 'x'.repeat(64 * 1024)]));
    expect(await outputOf('printf %s "$V0$V19" | wc -c', variables)).toBe('131072\n');
  });
});
