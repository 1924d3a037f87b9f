import { hash, randomInt } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { DashboardClient, ReplicaSet } from '@postern/local-start';
import { waitFor } from '@postern/testing';
import { type ApiAnswer, type Sender, World } from '../world.js';
import { WITHOUT_LIMITS } from './restores.js';

/** Workspaces belong to partitions of dispatchers, so several are needed to give each replica a share. */
const WORKSPACES = 6;
const PASSWORD = 'a long enough password';

/** A Postern with replicas of every service that can have them, and senders in several workspaces. */
export class ReplicatedWorld {
  readonly senders: Sender[] = [];

  private constructor(
    readonly world: World,
    readonly replicas: ReplicaSet,
  ) {}

  static async start(): Promise<ReplicatedWorld> {
    const replicas = await ReplicaSet.open();
    const world = await World.start({
      environment: replicas.environmentOf({ 'email-send': WITHOUT_LIMITS }),
      simulator: { ...replicas.simulator, POSTERN_SIMULATOR_KEEP_MESSAGES: '50000' },
    });
    afterAll(async () => {
      await replicas.stop();
      await world.stop();
    }, 60_000);
    replicas.attach(world.postern);
    const replicated = new ReplicatedWorld(world, replicas);
    for (let number = 0; number < WORKSPACES; number++) await replicated.addSender(`load${number}`);
    return replicated;
  }

  /** Sends at any of the gateways, with the key of a service that follows from the recipient: a repetition has the same. */
  send = async (body: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> => {
    const [recipient = ''] = (body as { readonly to: readonly string[] }).to;
    const number = hash('sha256', recipient, 'buffer').readUInt8() % this.senders.length;
    const response = await fetch(`${this.replicas.baseUrl}/emails`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'api-key': this.senders[number]?.apiKey ?? '', ...headers },
      body: JSON.stringify({ ...(body as object), from: `load@load${number}.test` }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as ApiAnswer['body'] };
  };

  /** Kills one replica of each service with kill -9, in random order; `between` runs after each. @returns their names. */
  async killOneOfEach(between: () => Promise<void>): Promise<readonly string[]> {
    const waiting = [...this.replicas.processes.values()];
    const killed: string[] = [];
    while (waiting.length > 0) {
      const [replicas = []] = waiting.splice(randomInt(waiting.length), 1);
      const victim = replicas[randomInt(replicas.length)];
      const pid = victim?.pid;
      if (!victim || pid === undefined) throw new Error('a replica does not run');
      process.kill(pid, 'SIGKILL');
      killed.push(victim.name);
      await between();
      await waitFor(() => victim.pid !== undefined && victim.pid !== pid, {
        timeoutMs: 30_000,
        describe: `${victim.name} to be started again`,
      });
    }
    return killed;
  }

  private async addSender(name: string): Promise<void> {
    const email = `${name}@workspaces.test`;
    await this.world.dashboard.post('/users', { email, password: PASSWORD });
    const dashboard = new DashboardClient(this.world.postern.baseUrl);
    await dashboard.login(email, PASSWORD);
    this.senders.push(await this.world.sender(name, `${name}.test`, dashboard));
  }
}
