import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { RunningPostern } from '@postern/local-start';
import { compileCache } from '@postern/testing';

const COMMAND = join(import.meta.dirname, '../../tools/command/bin/postern.mjs');

export interface Answer {
  readonly code: number | null;
  readonly printed: string;
}

/** Runs the `postern` command as an operator in a terminal; it only gets access to NATS. */
export const postern = (
  { wiring }: Pick<RunningPostern, 'wiring'>,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [COMMAND, ...args], {
      env: {
        PATH: process.env['PATH'] ?? '',
        ...compileCache(),
        POSTERN_NATS_SERVERS: wiring.natsUrl,
        POSTERN_NATS_CA_FILE: wiring.natsCaFile,
        POSTERN_NATS_USER: 'operator',
        POSTERN_NATS_PASSWORD: wiring.natsPasswords.operator,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        printed += chunk.toString('utf8');
      });
    child.on('error', reject);
    child.on('close', code => resolve({ code, printed }));
  });
