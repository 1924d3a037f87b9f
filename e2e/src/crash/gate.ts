import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Files } from '../platform/repository.js';

/** A file that builds and services of a story wait for, so that a state lasts until the story has seen it. */
export class Gate {
  private constructor(private readonly folder: string) {}

  static create(): Gate {
    const folder = mkdtempSync(join(tmpdir(), 'postern-gate-'));
    // Who waits may be a user of its own.
    chmodSync(folder, 0o755);
    return new Gate(folder);
  }

  get path(): string {
    return join(this.folder, 'open');
  }

  open(): void {
    writeFileSync(this.path, '');
  }

  close(): void {
    rmSync(this.path, { force: true });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Module code that continues when the gate is open. */
const waitFor = (gate: Gate): string => `
  const { existsSync } = await import('node:fs');
  while (!existsSync('${gate.path}')) await new Promise(resolve => setTimeout(resolve, 50));
`;

export interface Gates {
  readonly build?: Gate;
  /** Passed before the service listens. */
  readonly start?: Gate;
  /** Passed after SIGTERM, before the service ends. */
  readonly end?: Gate;
}

/** A web service that answers with its version, built by `node build.js`, and waits where it is told to. */
export const gatedApp = (version: string, gates: Gates = {}): Files => ({
  'package.json': '{"name":"story","private":true,"type":"module"}',
  'build.js': gates.build ? waitFor(gates.build) : '',
  'server.js': `
    import { createServer } from 'node:http';
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url, 'http://service');
      setTimeout(() => response.end('${version}'), Number(searchParams.get('ms') ?? 0));
    });
    process.on('SIGTERM', async () => {
      console.log('version ${version} is told to end');
      ${gates.end ? waitFor(gates.end) : ''}
      server.close();
    });
    ${gates.start ? waitFor(gates.start) : ''}
    server.listen(process.env.PORT);
  `,
});
