import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import ssh2, { type AuthContext, type Connection, type ServerChannel } from 'ssh2';

export interface KeyPair {
  /** In the OpenSSH format. */
  readonly privateKey: string;
  /** A line of `authorized_keys`. */
  readonly publicKey: string;
}

/** About one in 150 keys that ssh2 generates is malformed; such keys are skipped. */
export const newKeyPair = (): KeyPair => {
  for (;;) {
    const { private: privateKey, public: publicKey } = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(privateKey) instanceof Error)) return { privateKey, publicKey };
  }
};

export interface GitSshServer {
  readonly port: number;
  /** The commands of clients, and the number of connections. */
  readonly commands: string[];
  readonly connections: () => number;
  stop(): Promise<void>;
}

export interface GitSshServerOptions {
  /** The root folder of repository paths. */
  readonly root: string;
  /** The authorized public key. */
  readonly authorized: string;
  readonly hostKey: KeyPair;
  readonly port?: number;
}

/** Serves repositories over SSH by git's server programs, to the owner of one key. */
export const startGitSshServer = async (options: GitSshServerOptions): Promise<GitSshServer> => {
  const commands: string[] = [];
  const clients = new Set<Connection>();
  let connections = 0;
  const server = new ssh2.Server({ hostKeys: [options.hostKey.privateKey] }, client => {
    connections += 1;
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    client.on('authentication', context => authenticate(context, options.authorized));
    client.on('session', accept => {
      let protocol: string | undefined;
      accept()
        .on('env', (acceptEnv, _reject, { key, val }) => {
          if (key === 'GIT_PROTOCOL') protocol = val;
          acceptEnv?.();
        })
        .on('exec', (acceptExec, _reject, { command }) => {
          commands.push(command);
          upload(acceptExec(), command, options.root, protocol);
        });
    });
  });
  await new Promise<void>(resolve => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    commands,
    connections: () => connections,
    stop: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      for (const client of clients) client.end();
      await closed;
    },
  };
};

const authenticate = (context: AuthContext, authorized: string): void => {
  const allowed = ssh2.utils.parseKey(authorized);
  if (allowed instanceof Error) throw allowed;
  if (context.method !== 'publickey' || !context.key.data.equals(allowed.getPublicSSH())) {
    context.reject(['publickey']);
    return;
  }
  const { signature, blob, hashAlgo } = context;
  if (signature && blob && allowed.verify(blob, signature, hashAlgo) !== true) context.reject();
  else context.accept();
};

const upload = (channel: ServerChannel, command: string, root: string, protocol: string | undefined): void => {
  const path = /^git-upload-pack '([^']*)'$/.exec(command)?.[1] ?? '/none';
  const child = spawn('git', ['-c', 'safe.directory=*', 'upload-pack', `${root}/${path}`], {
    env: { PATH: process.env['PATH'], ...(protocol !== undefined && { GIT_PROTOCOL: protocol }) },
  });
  channel.pipe(child.stdin);
  child.stdin.on('error', () => {});
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  child.on('close', code => {
    channel.exit(code ?? 1);
    channel.end();
  });
};
