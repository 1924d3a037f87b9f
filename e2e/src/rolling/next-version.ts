import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** One thing that differs in the next version: what stands in a built file, and what stands there instead. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Makes version N+1 of a service out of what is built: the same code in a folder of its own, with these changes.
 * @returns its entry point.
 * @throws where a change does not find its place exactly once, because the two versions would be one.
 */
export const nextVersionOf = (service: string, changes: readonly Change[], folder: string): string => {
  const app = join(folder, 'apps', service);
  mkdirSync(app, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(join(ROOT, 'prisma'), join(folder, 'prisma'));
  const own = join(ROOT, 'apps', service, 'node_modules');
  if (existsSync(own)) symlinkSync(own, join(app, 'node_modules'));
  for (const part of ['dist', 'package.json'])
    cpSync(join(ROOT, 'apps', service, part), join(app, part), { recursive: true });
  for (const { file, from, to } of changes) {
    const path = join(app, 'dist', file);
    const [before, after, ...more] = readFileSync(path, 'utf8').split(from);
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`${service}/${file} has to say ${from} once`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${before}${to}${after}`);
  }
  return join(app, 'dist/main.js');
};
