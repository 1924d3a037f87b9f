import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Started } from './starter-messages.js';

const COMMAND = fileURLToPath(new URL('../../../../tools/command/bin/postern.mjs', import.meta.url));

/** What `postern doctor` prints for an operator. */
export const doctor = (started: Started): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [COMMAND, 'doctor', '--no-mail'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        POSTERN_NATS_SERVERS: started.natsUrl,
        POSTERN_NATS_CA_FILE: started.natsCaFile,
        POSTERN_NATS_USER: started.natsUser,
        POSTERN_NATS_PASSWORD: started.natsPassword,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    child.once('error', reject);
    child.once('close', () => resolve(printed));
  });
