import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BuildOrder, RunEnd, ServicePlan } from '@postern/runtime';
import { type Files, never, servicePlanOf } from '@postern/runtime/testing';
import { machineOf } from '../../../../infrastructure/builders/machine.js';
import { isProgram } from '../../../../infrastructure/is-program.js';
import { SourceBuilds } from '../../../../testing/source-builds.js';
import { LocalHarness } from '../../../testing/local-harness.js';
import { programPath } from '../../host-environment.js';
import { findContainerTool } from '../container-tool.js';

const run = promisify(execFile);
const BUSYBOX = ['/bin/busybox', '/usr/bin/busybox'];
const LINUX_ARCHIVE = 'linux.tar';
const FOLDERS = ['bin', 'etc', 'run', 'tmp'];

/** What this host lacks to build the test images, which contain BusyBox; undefined if it lacks nothing. */
export const missingForImages = (): string | undefined => {
  const answer = findContainerTool(machineOf(programPath(process.env)), true);
  if ('missing' in answer) return answer.missing;
  return BUSYBOX.some(isProgram) ? undefined : 'this machine has no BusyBox: install busybox-static on it';
};

/** Steps that unpack a small Linux from `linux.tar` in the repository. A step that runs a program would take a second longer. */
export const LINUX: readonly string[] = ['FROM scratch', `ADD ${LINUX_ARCHIVE} /`];

/** Steps that serve /srv/shop, and respond to /cgi-bin/run with the output of the shell script `run` in the repository. */
export const SERVER: readonly string[] = [
  ...LINUX,
  'WORKDIR /srv/shop',
  'COPY run cgi-bin/run',
  'CMD ["sh", "-c", "exec httpd -f -p $PORT -h /srv/shop"]',
];

const OUTPUT_BEGINS = 'the output begins';
const OUTPUT_ENDS = 'the output ends';

/** A CGI script for `run`. */
export const scriptOf = (...commands: readonly string[]): string =>
  ['#!/bin/sh', `printf 'Content-Type: text/plain\\r\\n\\r\\n'; exec 2>&1`, ...commands, ''].join('\n');

export const dockerfileOf = (...steps: readonly string[]): string => `${steps.join('\n')}\n`;

/** The files of a web service that responds to /cgi-bin/run with its environment. */
export const shop = (...steps: readonly string[]) => ({
  Dockerfile: dockerfileOf(...SERVER, ...steps),
  run: scriptOf('env'),
});

/** Builds and runs repositories with a Dockerfile on this host, with all isolation that it supports. */
export class ImageBuilds extends SourceBuilds<LocalHarness> {
  private constructor(
    harness: LocalHarness,
    private readonly folder: string,
  ) {
    super(harness);
  }

  static async start(): Promise<ImageBuilds> {
    const folder = await mkdtemp(join(tmpdir(), 'postern-linux-'));
    await packLinux(folder);
    return new ImageBuilds(await LocalHarness.start(), folder);
  }

  /** Adds `linux.tar` to the repository and makes its file `run` executable. */
  override orderOf(files: Files, changes: Partial<BuildOrder> = {}): Promise<BuildOrder> {
    return super.orderOf(files, { deadlineMs: 120_000, ...changes }, async repository => {
      await copyFile(join(this.folder, LINUX_ARCHIVE), join(repository.folder, LINUX_ARCHIVE));
      if ('run' in files) await chmod(join(repository.folder, 'run'), 0o755);
      await repository.commit({});
    });
  }

  /** The output of a build step that runs this command, after options such as `--mount`. */
  async outputOf(command: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const [options = ''] = /^(?:--\S+ )*/.exec(command) ?? [];
    // Lines of the builder can come between those of a step that writes to another pipe.
    const step = `echo ${OUTPUT_BEGINS}; { ${command.slice(options.length)}; } 2>&1 && echo ${OUTPUT_ENDS}`;
    const order = await this.orderOf(shop(`RUN ${options}${step}`), { environment });
    await this.build(order);
    const log = await this.logOf(order);
    return log.slice(log.indexOf(OUTPUT_BEGINS) + 1, log.indexOf(OUTPUT_ENDS)).join('\n');
  }

  /** Builds and starts a web service. @returns its order and plan, and `get`, which sends a request to an instance. */
  async serve(files: Files, changes: Partial<BuildOrder> = {}, planned: Partial<ServicePlan> = {}) {
    const order = await this.orderOf(files, changes);
    const { webServiceId, startCommand } = order;
    const plan = servicePlanOf(await this.build(order), { webServiceId, startCommand, ...planned });
    await this.harness.runtime.roll(plan, never);
    const url = await this.harness.runtime.urlOf(plan.webServiceId, plan.name);
    const get = async (path = '/') => (await this.harness.request(new URL(path, url).href)).body;
    return { order, plan, get };
  }

  async run({ webServiceId, artefact }: ServicePlan, command: string): Promise<RunEnd> {
    const order = { runId: randomUUID(), webServiceId, instance: 'run', artefact, command };
    const settings = { environment: {}, secrets: [], size: undefined, deadlineMs: 20_000 };
    return this.harness.runtime.run({ ...order, ...settings }, never);
  }

  async stop(): Promise<void> {
    await this.harness.stop();
    await this.removeRepositories();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Packs BusyBox with links for all its commands, and folders that programs expect. */
const packLinux = async (folder: string): Promise<void> => {
  const busybox = BUSYBOX.find(isProgram) ?? '';
  const bin = join(folder, 'bin');
  for (const name of FOLDERS) await mkdir(join(folder, name));
  await copyFile(busybox, join(bin, 'busybox'));
  await chmod(join(bin, 'busybox'), 0o755);
  const { stdout } = await run(busybox, ['--list']);
  const names = stdout.trim().split('\n');
  for (const name of names) if (name !== 'busybox') await symlink('busybox', join(bin, name));
  const owner = ['--owner=0', '--group=0', '--numeric-owner'];
  await run('tar', [...owner, '-C', folder, '-cf', join(folder, LINUX_ARCHIVE), ...FOLDERS]);
};
