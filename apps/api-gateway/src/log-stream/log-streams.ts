import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { GatewayConfig } from '../config.js';
import { ERROR_CODE } from '../infrastructure/http/errors/error-code.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { ByteRate } from './byte-rate.js';

/** Maximum number of concurrent streams of one workspace, in each gateway. */
export const STREAMS_PER_WORKSPACE = 10;

/** State shared by the streams of a workspace. */
interface WorkspaceStreams {
  open: number;
  readonly rate: ByteRate;
}

/** The budget of one stream. */
export interface StreamBudget {
  spend(bytes: number): void;
  /** Milliseconds until the stream may read more. */
  waitMs(): number;
  /** Frees the slot of the stream. */
  end(): void;
}

/** The open log streams of this gateway. */
@Injectable()
export class LogStreams implements OnModuleDestroy {
  readonly #workspaces = new Map<string, WorkspaceStreams>();
  readonly #stopping = new AbortController();

  constructor(@Inject(CONFIG) private readonly config: GatewayConfig) {}

  /** Aborted when the gateway shuts down. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** @throws 429 if the workspace has too many streams. */
  begin(workspaceId: string): StreamBudget {
    const { logStreamBytesPerSecond, logStreamBytesPerSecondPerWorkspace } = this.config;
    const workspace = this.#workspaces.get(workspaceId) ?? {
      open: 0,
      rate: new ByteRate(logStreamBytesPerSecondPerWorkspace, performance.now()),
    };
    if (workspace.open >= STREAMS_PER_WORKSPACE)
      throw new Problem(429, `The workspace reads ${STREAMS_PER_WORKSPACE} log streams already. Close one first.`, {
        [ERROR_CODE]: 'too_many_streams',
        'retry-after': '10',
      });
    workspace.open += 1;
    this.#workspaces.set(workspaceId, workspace);
    const rates = [workspace.rate, new ByteRate(logStreamBytesPerSecond, performance.now())];
    return {
      spend: bytes => {
        for (const rate of rates) rate.spend(bytes, performance.now());
      },
      waitMs: () => Math.max(...rates.map(rate => rate.waitMs(performance.now()))),
      end: () => this.#end(workspaceId, workspace),
    };
  }

  #end(workspaceId: string, workspace: WorkspaceStreams): void {
    workspace.open -= 1;
    this.#forget(workspaceId, workspace);
  }

  /** Keeps the state until the budget is full again; otherwise a reader could reconnect to get more than its budget. */
  #forget(workspaceId: string, workspace: WorkspaceStreams): void {
    if (workspace.open > 0 || this.#workspaces.get(workspaceId) !== workspace) return;
    const fullMs = workspace.rate.fullMs(performance.now());
    if (fullMs === 0) this.#workspaces.delete(workspaceId);
    else setTimeout(() => this.#forget(workspaceId, workspace), fullMs).unref();
  }

  onModuleDestroy(): void {
    this.#stopping.abort();
  }
}
