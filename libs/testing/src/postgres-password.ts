import { spawn } from 'node:child_process';
import { chmod, chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPostgres, planSpawn, type SystemUser } from './postgres-binaries.js';
import { waitFor } from './wait-for.js';

/** A cluster that does not run, whom it belongs to, and what its superuser is to prove who they are with. */
export interface TrustingCluster {
  readonly dataDir: string;
  readonly password: string;
  readonly user: SystemUser | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

const TRUST = /^[^#\n]*\btrust\s*$/m;
const RULES = `# TYPE  DATABASE     USER  ADDRESS       METHOD
local   all          all                 scram-sha-256
host    all          all   127.0.0.1/32  scram-sha-256
host    all          all   ::1/128       scram-sha-256
local   replication  all                 scram-sha-256
host    replication  all   127.0.0.1/32  scram-sha-256
host    replication  all   ::1/128       scram-sha-256
`;

/**
 * Makes a cluster that trusts local connections ask for the password; one that asks already stays as it is. It never
 * listens meanwhile, and whatever interrupts it is made good by the next call.
 * @throws with what PostgreSQL said when the password cannot be set.
 */
export async function demandPassword(cluster: TrustingCluster): Promise<void> {
  const rules = join(cluster.dataDir, 'pg_hba.conf');
  if (!TRUST.test(await readFile(rules, 'utf8'))) return;
  // The password first: rules without it would lock everybody out.
  await waitFor(() => setPassword(cluster), {
    timeoutMs: 30_000,
    intervalMs: 100,
    describe: 'a PostgreSQL that was killed to leave its shared memory',
  });
  const temporary = `${rules}.new`;
  await rm(temporary, { force: true });
  await writeFile(temporary, RULES);
  await chmod(temporary, 0o600);
  if (cluster.user) await chown(temporary, cluster.user.uid, cluster.user.gid);
  await rename(temporary, rules);
}

/** Single-user mode opens no port and asks nobody who they are. @returns false while an earlier server still goes. */
async function setPassword({ dataDir, password, user, environment }: TrustingCluster): Promise<boolean> {
  // An error would otherwise be logged with the statement, which holds the password.
  const quiet = [
    '-c',
    'log_min_error_statement=panic',
    '-c',
    'log_statement=none',
    '-c',
    'log_min_duration_statement=-1',
  ];
  const program = findPostgres().postgres;
  const plan = planSpawn(program, ['--single', '-D', dataDir, ...quiet, 'postgres'], user, [dataDir]);
  const child = spawn(plan.command, plan.args, { ...plan.ids, env: environment, cwd: '/', stdio: 'pipe' });
  let said = '';
  child.stderr.on('data', chunk => (said += chunk));
  child.stdout.resume();
  child.stdin.on('error', () => undefined);
  child.stdin.end(`ALTER ROLE postgres PASSWORD '${password.replaceAll("'", "''")}'\n`);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0 && !/\b(ERROR|FATAL|PANIC):/.test(said)) return true;
  if (said.includes('pre-existing shared memory block')) return false;
  throw new Error(`PostgreSQL did not take its password:\n${said.slice(-2000)}`);
}
