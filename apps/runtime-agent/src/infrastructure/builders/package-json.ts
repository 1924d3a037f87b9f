import { BuildFailed } from '@postern/runtime';
import { z } from 'zod';
import { readManifest } from './small-file.js';

const names = z.record(z.string(), z.unknown()).optional();

const schema = z.object({
  name: z.unknown().optional(),
  workspaces: z.unknown().optional(),
  dependencies: names,
  devDependencies: names,
  scripts: names,
  engines: z.unknown().optional(),
  volta: z.unknown().optional(),
  packageManager: z.unknown().optional(),
  main: z.unknown().optional(),
  module: z.unknown().optional(),
});

export type PackageJson = z.infer<typeof schema>;

/** The project's package.json, if it has one. @throws BuildFailed if it is not valid or too large. */
export const packageJson = async (directory: string): Promise<PackageJson | undefined> =>
  packageManifest(await readManifest(directory, 'package.json'));

/** @throws BuildFailed if the text is not a valid package.json. */
export const packageManifest = (text: string | undefined): PackageJson | undefined => {
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new BuildFailed('package.json is not valid');
  }
};
