import { spawn } from 'node:child_process';
import { chmod, chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPostgres, planSpawn, type SystemUser } from './postgres-binaries.js';
import { waitFor } from './wait-for.js';

/** A stopped cluster, its user, and the new password of its superuser. */
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
 * Sets the password of a cluster that trusts local connections; does nothing if it already requires one. The cluster is
 * unreachable during the call, and the next call completes an interrupted one.
 * @throws with the message of PostgreSQL when the password cannot be set.
 */
export async function demandPassword(cluster: TrustingCluster): Promise<void> {
  const rules = join(cluster.dataDir, 'pg_hba.conf');
  if (!TRUST.test(await readFile(rules, 'utf8'))) return;
  // Sets the password first: the rules without a password would lock out all users.
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

/**
 * Single-user mode opens no port and needs no password.
 * @returns false while an earlier server still runs.
 */
async function setPassword({ dataDir, password, user, environment }: TrustingCluster): Promise<boolean> {
  // An error would be logged with the statement, which contains the password.
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
  let output = '';
  child.stderr.on('data', chunk => (output += chunk));
  child.stdout.resume();
  child.stdin.on('error', () => undefined);
  child.stdin.end(`ALTER ROLE postgres PASSWORD '${password.replaceAll("'", "''")}'\n`);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0 && !/\b(ERROR|FATAL|PANIC):/.test(output)) return true;
  if (output.includes('pre-existing shared memory block')) return false;
  throw new Error(`PostgreSQL did not accept the password:\n${output.slice(-2000)}`);
}
