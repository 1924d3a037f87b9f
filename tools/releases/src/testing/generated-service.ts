import { cpSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ProgramResult, ScratchCheckout } from './scratch-checkout.js';

const ROOT = join(import.meta.dirname, '../../../..');

/** The name of the service that `GeneratedService` generates. */
export const GENERATED = 'usage-reports';

/** A clone of this checkout with a generated service, made and built as docs/new-service.md says. */
export class GeneratedService {
  private constructor(private readonly checkout: ScratchCheckout) {}

  static async make(): Promise<GeneratedService> {
    const checkout = await ScratchCheckout.make();
    copyBuilds(checkout);
    const made = new GeneratedService(checkout);
    await made.generate(GENERATED, '--owner', 'reports', '--follows', 'email-send');
    symlinkSync(`../../apps/${GENERATED}`, join(checkout.path, 'node_modules/@postern', GENERATED));
    await made.run('node_modules/.bin/prisma', 'generate', '--schema', `prisma/${GENERATED}/schema.prisma`);
    const built = [
      `apps/${GENERATED}`,
      'apps/email-send',
      'tools/mail-simulator',
      'tools/local-start',
      'tools/one-server',
      'tools/releases',
    ];
    await made.run('node_modules/.bin/tsc', '-b', '--singleThreaded', ...built);
    await made.jest('unit', 'libs/contracts', 'requests');
    await made.run('tools/checks/nats-users.mjs');
    await made.run('tools/checks/configuration.mjs');
    await made.run('k8s/check/check.mjs', '--write');
    return made;
  }

  get path(): string {
    return this.checkout.path;
  }

  read(path: string): string {
    return this.checkout.read(path);
  }

  write(path: string, content: string): void {
    this.checkout.write(path, content);
  }

  commit(message: string): string {
    return this.checkout.commit(message);
  }

  remove(): void {
    this.checkout.remove();
  }

  generate(...args: readonly string[]): Promise<string> {
    return this.run('node_modules/.bin/nx', 'generate', '@postern/generators:service', ...args);
  }

  /** Runs a program of the clone. */
  attempt(...args: readonly string[]): Promise<ProgramResult> {
    return this.checkout.start(args, {
      NX_DAEMON: 'false',
      NX_CACHE_DIRECTORY: join(this.path, '.nx/cache'),
      PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
      POSTERN_WRITE_SNAPSHOTS: args.includes('libs/contracts') ? '1' : '',
    }).ended;
  }

  /** @returns the output of the program. @throws with it if the program fails */
  async run(...args: readonly string[]): Promise<string> {
    const { code, output } = await this.attempt(...args);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}\n${output.slice(-6_000)}`);
    return output;
  }

  jest(tier: 'unit' | 'integration', folder: string, ...patterns: readonly string[]): Promise<string> {
    return this.run(
      ...(tier === 'integration' ? ['tools/setup/in-test-environment.mjs', 'jest'] : ['node_modules/.bin/jest']),
      ...['--selectProjects', tier, '--roots', folder, '--ci', '--testPathPatterns', patterns.join('|')],
    );
  }
}

/** Copies the build of this checkout, so that only what changes is built anew. */
const copyBuilds = (checkout: ScratchCheckout): void => {
  for (const parent of ['libs', 'apps', 'tools'])
    for (const name of readdirSync(join(ROOT, parent))) {
      const dist = `${parent}/${name}/dist`;
      if (!existsSync(join(ROOT, dist)) || existsSync(join(checkout.path, dist))) continue;
      const isLarge = (path: string) => /\/dist\/(bundle.*\.map$|site|packages)/.test(path);
      cpSync(join(ROOT, dist), join(checkout.path, dist), { recursive: true, filter: path => !isLarge(path) });
      const generated = `${parent}/${name}/src/generated`;
      if (existsSync(join(ROOT, generated)))
        cpSync(join(ROOT, generated), join(checkout.path, generated), { recursive: true });
    }
};
