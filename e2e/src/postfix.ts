import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@postern/testing';

const run = promisify(execFile);
const POSTFIX = '/usr/sbin/postfix';

export interface PostfixOptions {
  /** Where it takes mail from us. */
  readonly port: number;
  /** The SMTP server that all mail goes to, in every mailbox provider's place. */
  readonly nextHopPort: number;
  /** Mail for this domain goes to `bouncePort`: notifications on their way back to us. */
  readonly bounceDomain: string;
  readonly bouncePort: number;
}

const mainCf = (folder: string, { nextHopPort, bounceDomain, bouncePort }: PostfixOptions) => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
mail_owner = postfix
setgid_group = postdrop
maillog_file = ${folder}/postfix.log
maillog_file_prefixes = ${folder}
myhostname = relay.postfix.test
mydestination =
local_recipient_maps =
alias_maps =
alias_database =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtpd_relay_restrictions = permit_mynetworks, reject
smtp_host_lookup = native
smtp_dns_support_level = disabled
relayhost = [127.0.0.1]:${nextHopPort}
transport_maps = inline:{ ${bounceDomain}=smtp:[127.0.0.1]:${bouncePort} }
minimal_backoff_time = 2s
maximal_backoff_time = 4s
queue_run_delay = 2s
smtp_destination_recipient_limit = 1
smtpd_discard_ehlo_keywords = chunking
`;

/** Only what relaying needs; nothing runs chrooted, so no files have to be copied into the queue's folder. */
const masterCf = (port: number) => `
127.0.0.1:${port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 2 1 qmgr
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

/** A real Postfix with a configuration and a queue of its own; the machine's own installation is not touched. */
export class Postfix {
  private constructor(private readonly folder: string) {}

  /** @throws saying how to install it where there is none. Has to be run as root, as Postfix itself. */
  static async start(options: PostfixOptions): Promise<Postfix> {
    if (!existsSync(POSTFIX))
      throw new Error('this story needs Postfix: apt-get install --no-install-recommends postfix');
    const folder = await mkdtemp(join(tmpdir(), 'postern-postfix-'));
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'queue'));
    await mkdir(join(folder, 'data'));
    const { stdout } = await run('id', ['-u', 'postfix']);
    await chown(join(folder, 'data'), Number(stdout), 0);
    await writeFile(join(folder, 'main.cf'), mainCf(folder, options));
    await writeFile(join(folder, 'master.cf'), masterCf(options.port));
    const postfix = new Postfix(folder);
    try {
      await run(POSTFIX, ['-c', folder, 'start']);
      await waitFor(async () => (await run(POSTFIX, ['-c', folder, 'status']).catch(() => undefined)) !== undefined, {
        describe: 'Postfix to run',
      });
    } catch (error) {
      const log = await postfix.log();
      await postfix.stop();
      throw new Error(`Postfix did not start: ${(error as Error).message}\n${log}`, { cause: error });
    }
    return postfix;
  }

  log(): Promise<string> {
    return readFile(join(this.folder, 'postfix.log'), 'utf8').catch(() => '(it logged nothing)');
  }

  async stop(): Promise<void> {
    await run(POSTFIX, ['-c', this.folder, 'stop']).catch(() => undefined);
    await waitFor(async () => (await run(POSTFIX, ['-c', this.folder, 'status']).catch(() => 'gone')) === 'gone', {
      describe: 'Postfix to end',
    });
    await rm(this.folder, { recursive: true, force: true });
  }
}
