import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { unpackPackages } from './debian-packages.js';
import { installOnce } from './install-once.js';
import { programFolder } from './program-folder.js';

const run = promisify(execFile);

const SCRIPT = `
import base64, json, sys
import dkim
given = json.load(sys.stdin)
message = base64.b64decode(given["raw"])
keys = given["keys"]
count = len([1 for name, _ in dkim.rfc822_parse(message)[0] if name.lower() == b"dkim-signature"])
find = lambda name, timeout=5: keys.get(name.decode().rstrip("."), "").encode()
def verdict(index):
    try:
        return dkim.DKIM(message).verify(index, dnsfunc=find)
    except dkim.DKIMException as error:
        return str(error)
json.dump([verdict(index) for index in range(count)], sys.stdout)
`;

/**
 * The result of dkimpy for each DKIM signature of a message: true, false, or an error. `keys`: TXT records by name.
 * dkimpy is loaded from Python, or from a Debian package that is unpacked and cached.
 * @throws with the reason if there is no Python or no dkimpy.
 */
export async function verifyWithDkimpy(
  raw: Buffer,
  keys: Readonly<Record<string, string>>,
): Promise<readonly (boolean | string)[]> {
  const folder = await findDkimpy();
  const env = folder === undefined ? process.env : { ...process.env, PYTHONPATH: folder };
  const child = spawn('python3', ['-c', SCRIPT], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify({ raw: raw.toString('base64'), keys }));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (output === '') throw new Error(`dkimpy did not answer: ${errors.slice(-1_000)}`);
  return JSON.parse(output) as (boolean | string)[];
}

/** The folder to import it from; undefined if Python has it. */
async function findDkimpy(): Promise<string | undefined> {
  const isInstalled = await run('python3', ['-c', 'import dkim']).then(
    () => true,
    () => false,
  );
  if (isInstalled) return undefined;
  const target = join(programFolder(), 'dkimpy');
  return installOnce(programFolder(), 'dkimpy', {
    find: async () => (existsSync(target) ? target : undefined),
    install: () => installDkimpy(target),
  });
}

async function installDkimpy(target: string): Promise<string> {
  const temporary = await mkdtemp(join(tmpdir(), 'postern-dkimpy-'));
  const draft = `${target}.${process.pid}`;
  try {
    const { folder } = await unpackPackages(temporary, ['python3-dkim', 'python3-dnspython']);
    await cp(join(folder, 'usr/lib/python3/dist-packages'), draft, { recursive: true });
    await rename(draft, target);
    return target;
  } catch (error) {
    throw new Error(`dkimpy is missing: pip install dkimpy. ${(error as Error).message}`, { cause: error });
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(temporary, { recursive: true, force: true });
  }
}
