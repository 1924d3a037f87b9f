import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SERVICE_NAMES } from '@postern/contracts';
import type { RunningPostern } from '@postern/local-start';

/** The parts of a running Postern for tests that only use its public API. */
export interface PosternAccess
  extends Pick<RunningPostern, 'baseUrl' | 'mailboxUrl' | 'operator' | 'metricsUrls' | 'metricsToken'> {
  readonly wiring: Pick<RunningPostern['wiring'], 'databaseUrl' | 'submissionPort' | 'bouncePort'>;
  /** A folder that the code of tenants must not be able to read. */
  readonly home: Pick<RunningPostern['home'], 'folder'>;
  readonly dns: {
    readonly address: string;
    setText(name: string, value: string): void | Promise<void>;
    removeText(name: string): void | Promise<void>;
  };
}

/** What the program prints when Postern is ready. */
export interface SharedPosternReady {
  readonly baseUrl: string;
  readonly mailboxUrl: string;
  readonly operator: { readonly email: string; readonly password: string };
  readonly databaseUrls: Readonly<Record<(typeof SERVICE_NAMES)[number], string>>;
  readonly submissionPort: number;
  readonly bouncePort: number;
  readonly dnsAddress: string;
  readonly homeFolder: string;
  readonly metricsUrls: Readonly<Record<string, string>>;
  readonly metricsToken: string;
  /** Accepts `{ name, value }` of a TXT record by POST; without a value the record is removed. */
  readonly dnsControlUrl: string;
}

const PROGRAM = join(import.meta.dirname, '../dist/shared-postern-main.js');

let starting: Promise<SharedPosternReady> | undefined;

/**
 * The Postern that all files of this Jest worker share; the first file starts it, and it ends with the worker. It does not
 * limit calls of the platform API or requests without a credential.
 */
export const sharedPostern = async (): Promise<PosternAccess> => {
  starting ??= start();
  const ready = await starting;
  return {
    baseUrl: ready.baseUrl,
    mailboxUrl: ready.mailboxUrl,
    operator: ready.operator,
    home: { folder: ready.homeFolder },
    metricsUrls: () => ready.metricsUrls,
    metricsToken: ready.metricsToken,
    wiring: {
      databaseUrl: service => ready.databaseUrls[service],
      submissionPort: ready.submissionPort,
      bouncePort: ready.bouncePort,
    },
    dns: {
      address: ready.dnsAddress,
      setText: (name, value) => changeDns(ready, { name, value }),
      removeText: name => changeDns(ready, { name }),
    },
  };
};

const changeDns = async (
  { dnsControlUrl }: SharedPosternReady,
  record: { readonly name: string; readonly value?: string },
): Promise<void> => {
  await fetch(dnsControlUrl, { method: 'POST', body: JSON.stringify(record) });
};

const start = (): Promise<SharedPosternReady> => {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing. Build it first: npx nx build e2e`);
  // The program ends when its standard input closes, which happens when this worker ends.
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`the shared Postern ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout }).once('line', line => {
      // Neither the process nor its pipes keep the worker alive.
      for (const handle of [child, child.stdin, child.stdout] as unknown as { unref(): void }[]) handle.unref();
      resolve(JSON.parse(line) as SharedPosternReady);
    });
  });
};
