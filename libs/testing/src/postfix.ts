import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from './wait-for.js';

const run = promisify(execFile);
const POSTFIX = '/usr/sbin/postfix';

export interface PostfixOptions {
  /** The port for mail on the loopback interface. */
  readonly port: number;
  /** The SMTP server that receives all mail. */
  readonly nextHopPort: number;
  /** How often deferred mail is retried; 300 seconds by default. */
  readonly retryEverySeconds?: number;
  /** Further lines of main.cf. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

const mainCf = (folder: string, { nextHopPort, retryEverySeconds = 300, settings }: PostfixOptions): string =>
  Object.entries({
    compatibility_level: '3.6',
    queue_directory: `${folder}/queue`,
    data_directory: `${folder}/data`,
    mail_owner: 'postfix',
    setgid_group: 'postdrop',
    maillog_file: `${folder}/postfix.log`,
    maillog_file_prefixes: folder,
    myhostname: 'relay.postfix.test',
    mydestination: '',
    local_recipient_maps: '',
    alias_maps: '',
    alias_database: '',
    mynetworks: '127.0.0.0/8',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    smtpd_tls_security_level: 'none',
    smtp_tls_security_level: 'none',
    smtp_host_lookup: 'native',
    smtp_dns_support_level: 'disabled',
    relayhost: `[127.0.0.1]:${nextHopPort}`,
    queue_run_delay: `${retryEverySeconds}s`,
    minimal_backoff_time: `${retryEverySeconds}s`,
    maximal_backoff_time: `${retryEverySeconds * 2}s`,
    ...settings,
  })
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');

/** Only the services that relaying needs; none runs chrooted, so no files are copied into the queue folder. */
const masterCf = ({ port, retryEverySeconds = 300 }: PostfixOptions): string => `
127.0.0.1:${port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n ${retryEverySeconds} 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;

/** The reason why Postfix cannot run here; undefined if it can. */
export const whyNoPostfix = (): string | undefined => {
  if (!existsSync(POSTFIX)) return `${POSTFIX} is missing: apt-get install --no-install-recommends postfix`;
  return process.getuid?.() === 0 ? undefined : 'Postfix has to be started by root';
};

/** A real Postfix with its own configuration and queue; the installation of the machine is not changed. */
export class PostfixServer {
  private constructor(
    private readonly folder: string,
    /** Process id of the master process. */
    readonly pid: number,
  ) {}

  /** @throws with the reason when Postfix cannot run here, or with its log when it did not start. */
  static async start(options: PostfixOptions): Promise<PostfixServer> {
    const why = whyNoPostfix();
    if (why) throw new Error(why);
    const folder = await mkdtemp(join(tmpdir(), 'postern-postfix-'));
    await chmod(folder, 0o755);
    for (const own of ['queue', 'data']) await mkdir(join(folder, own));
    const { stdout: postfixUser } = await run('id', ['-u', 'postfix']);
    await chown(join(folder, 'data'), Number(postfixUser), 0);
    await writeFile(join(folder, 'main.cf'), mainCf(folder, options));
    await writeFile(join(folder, 'master.cf'), masterCf(options));
    try {
      await run(POSTFIX, ['-c', folder, 'start']);
      const pid = await waitFor(async () => Number(await readFile(join(folder, 'queue/pid/master.pid'), 'utf8')), {
        describe: 'the master process of Postfix',
      });
      return new PostfixServer(folder, pid);
    } catch (error) {
      const log = await logOf(folder);
      await end(folder);
      throw new Error(`Postfix did not start: ${(error as Error).message}\n${log}`, { cause: error });
    }
  }

  log(): Promise<string> {
    return logOf(this.folder);
  }

  async version(): Promise<string> {
    const { stdout } = await run('/usr/sbin/postconf', ['-c', this.folder, '-h', 'mail_version']);
    return stdout.trim();
  }

  stop(): Promise<void> {
    return end(this.folder);
  }
}

const logOf = (folder: string): Promise<string> =>
  readFile(join(folder, 'postfix.log'), 'utf8').catch(() => '(it logged nothing)');

const end = async (folder: string): Promise<void> => {
  await run(POSTFIX, ['-c', folder, 'stop']).catch(() => undefined);
  await waitFor(async () => (await run(POSTFIX, ['-c', folder, 'status']).catch(() => 'stopped')) === 'stopped', {
    describe: 'Postfix to end',
  });
  await rm(folder, { recursive: true, force: true });
};
