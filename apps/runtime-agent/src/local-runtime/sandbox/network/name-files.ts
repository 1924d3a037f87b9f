import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Paths of the files that sandboxes see as resolv.conf and hosts. */
export interface NameFiles {
  readonly resolvers: string;
  readonly hosts: string;
}

/** The name of the platform inside sandboxes. */
export const PLATFORM_NAME = 'postern.internal';

export const nameFilesOf = (platformHome: string): NameFiles => {
  const folder = join(platformHome, 'boxes/names');
  return { resolvers: join(folder, 'resolv.conf'), hosts: join(folder, 'hosts') };
};

/** Writes the files in place, because running sandboxes have mounted them. */
export const writeNameFiles = async (
  files: NameFiles,
  { platformAddress, resolvers }: { readonly platformAddress: string; readonly resolvers: string },
): Promise<void> => {
  await mkdir(join(files.hosts, '..'), { recursive: true, mode: 0o700 });
  const own = await readFile('/etc/hosts', 'utf8').catch(() => '127.0.0.1 localhost\n::1 localhost\n');
  const hosts = `${own.replace(/\n*$/, '\n')}${platformAddress} ${PLATFORM_NAME}\n`;
  for (const [path, content] of [
    [files.hosts, hosts],
    [files.resolvers, resolvers],
  ] as const)
    if ((await readFile(path, 'utf8').catch(() => undefined)) !== content)
      await writeFile(path, content, { mode: 0o644 });
};
