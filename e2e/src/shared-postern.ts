import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunningPostern } from '@postern/local-start';
import { workerRegistry } from '@postern/testing';

/** What stories need of a running Postern when they only use its public API. */
export interface PosternAccess extends Pick<RunningPostern, 'baseUrl' | 'mailboxUrl' | 'operator'> {
  readonly dns: {
    readonly address: string;
    setText(name: string, value: string): void | Promise<void>;
  };
}

/** What the program prints when its Postern is ready. */
export interface SharedPosternReady {
  readonly baseUrl: string;
  readonly mailboxUrl: string;
  readonly operator: { readonly email: string; readonly password: string };
  readonly dnsAddress: string;
  /** Takes `{ name, value }` of a TXT record by POST. */
  readonly dnsControlUrl: string;
}

const PROGRAM = join(import.meta.dirname, '../dist/shared-postern-main.js');

/**
 * The Postern that all files of this Jest worker share; started by the first of them, ended when the worker ends. Calls
 * of the platform API and requests without a credential are not limited in it.
 */
export const sharedPostern = async (): Promise<PosternAccess> => {
  const registry = workerRegistry<Promise<SharedPosternReady>>();
  const starting = registry.get(PROGRAM) ?? start();
  registry.set(PROGRAM, starting);
  const ready = await starting;
  return {
    baseUrl: ready.baseUrl,
    mailboxUrl: ready.mailboxUrl,
    operator: ready.operator,
    dns: {
      address: ready.dnsAddress,
      setText: async (name, value) => {
        await fetch(ready.dnsControlUrl, { method: 'POST', body: JSON.stringify({ name, value }) });
      },
    },
  };
};

const start = (): Promise<SharedPosternReady> => {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing. Build it first: npx nx build e2e`);
  // The program ends when its standard input closes, which happens when this worker ends.
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`the shared Postern ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout }).once('line', line => {
      // Neither the process nor its pipes keep the worker from ending.
      for (const handle of [child, child.stdin, child.stdout] as unknown as { unref(): void }[]) handle.unref();
      resolve(JSON.parse(line) as SharedPosternReady);
    });
  });
};
