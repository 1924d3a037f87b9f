import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundledProgram } from '../../program-files.js';

/**
 * Copies the static server to the platform's home, because the users of web services can enter that folder, but not Postern's
 * installation folder.
 * @returns the path of the copy; an existing copy of the same content is reused.
 */
export const installStaticServer = async (platformHome: string): Promise<string> => {
  const content = await readFile(bundledProgram('static-server'));
  const parent = join(platformHome, 'static-server');
  const target = join(parent, createHash('sha256').update(content).digest('hex').slice(0, 16));
  const program = join(target, 'static-server.mjs');
  if (existsSync(program)) return program;
  const draft = join(parent, `draft-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  await writeFile(join(draft, 'static-server.mjs'), content);
  await chmod(join(draft, 'static-server.mjs'), 0o644);
  await chmod(draft, 0o755);
  await chmod(parent, 0o711);
  await rename(draft, target).catch(async error => {
    // Another Postern process created it first.
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(program)) throw error;
  });
  return program;
};
