import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The reference registry (CNCF Distribution) on the loopback interface, with its data in a folder. */
export class ScratchRegistry {
  private constructor(
    readonly address: string,
    private readonly process: ChildProcess,
  ) {}

  static async start(folder: string): Promise<ScratchRegistry> {
    const address = `127.0.0.1:${await freePort()}`;
    const storage = { filesystem: { rootdirectory: join(folder, 'storage') } };
    const settings = join(folder, 'registry.yml');
    // JSON is YAML.
    writeFileSync(settings, JSON.stringify({ version: 0.1, storage, http: { addr: address } }));
    const registry = new ScratchRegistry(
      address,
      spawn(programIn(folder), ['serve', settings], {
        stdio: 'ignore',
        env: { ...process.env, OTEL_TRACES_EXPORTER: 'none' },
      }),
    );
    for (let tries = 0; ; tries++) {
      if ((await fetch(`http://${address}/v2/`).catch(() => undefined))?.ok) return registry;
      if (tries > 200) throw new Error('the registry does not answer');
      await pause(50);
    }
  }

  stop(): void {
    this.process.kill();
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** The installed program, or that of the Debian package, which is unpacked and not installed. */
const programIn = (folder: string): string => {
  try {
    execFileSync('docker-registry', ['--version'], { stdio: 'ignore' });
    return 'docker-registry';
  } catch {
    const asRoot = process.getuid?.() === 0 ? ['-o', 'APT::Sandbox::User=root'] : [];
    execFileSync('apt-get', ['download', '-qq', ...asRoot, 'docker-registry'], { cwd: folder });
    execFileSync('sh', ['-c', 'dpkg -x docker-registry_*.deb unpacked'], { cwd: folder });
    return join(folder, 'unpacked/usr/bin/docker-registry');
  }
};
