import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { SystemUser } from './postgres-binaries.js';

/** The kernel's limit for the path of a Unix socket is 108 bytes, with the final zero. */
const MAX_PATH_BYTES = 107;

/** The folder of a server's Unix socket, and the settings that make the socket its only address. */
export interface PeerSocket {
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Prepares a folder for the Unix socket of a server. Only the user of the server and root can enter it, and the server accepts
 * only the user of this process, whom the kernel identifies, as any role. No password exists that a false server could ask for.
 * The settings replace the access rules in the data folder.
 */
export async function preparePeerSocket(
  wanted: string,
  port: number,
  user: SystemUser | undefined,
): Promise<PeerSocket> {
  const folder = await createFolder(wanted, port);
  const files = {
    hba: ['pg_hba.conf', 'local all all peer map=platform\n'],
    ident: ['pg_ident.conf', `platform ${JSON.stringify(userInfo().username)} all\n`],
  } as const;
  for (const [name, text] of Object.values(files)) {
    await rm(join(folder, name), { force: true });
    await writeFile(join(folder, name), text, { mode: 0o600 });
    if (user) await chown(join(folder, name), user.uid, user.gid);
  }
  await chmod(folder, 0o700);
  if (user) await chown(folder, user.uid, user.gid);
  return {
    folder,
    settings: {
      listen_addresses: '',
      unix_socket_directories: folder,
      unix_socket_permissions: '0700',
      hba_file: join(folder, files.hba[0]),
      ident_file: join(folder, files.ident[0]),
    },
  };
}

/** The wanted folder, or one with a short random name in /tmp if the path of the socket would be too long. */
async function createFolder(wanted: string, port: number): Promise<string> {
  if (Buffer.byteLength(join(wanted, `.s.PGSQL.${port}`)) > MAX_PATH_BYTES) return mkdtemp('/tmp/postern-postgres-');
  await mkdir(wanted, { recursive: true, mode: 0o700 });
  return wanted;
}
