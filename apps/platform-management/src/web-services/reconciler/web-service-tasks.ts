import { Injectable } from '@nestjs/common';
import { Runtime } from '@postern/runtime';
import type { WebService } from '../services/aggregate/state.js';
import { BuildDeployment } from './build-deployment.js';
import type { Report } from './next-steps.js';
import { RemoveWebService } from './remove-web-service.js';
import { Reports } from './reports.js';
import { RollRelease } from './roll-release.js';
import { RuntimeScan } from './runtime-scan.js';
import { StopInstances } from './stop-instances.js';

/** Work on one web service that can fail unexpectedly. */
export interface Task {
  /** Identifies the work across attempts. */
  readonly key: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Reports the failure after the last attempt. */
  readonly giveUp: (reason: string) => Promise<unknown>;
}

/** The work of the steps of a web service. Tasks start only while no scan of the runtime runs. */
@Injectable()
export class WebServiceTasks {
  constructor(
    private readonly reports: Reports,
    private readonly builds: BuildDeployment,
    private readonly releases: RollRelease,
    private readonly stops: StopInstances,
    private readonly removals: RemoveWebService,
    private readonly scan: RuntimeScan,
    private readonly runtime: Runtime,
  ) {}

  /** While the runtime is unavailable, no work starts, so that no deadline runs. */
  canBegin(): Promise<boolean> {
    return this.runtime.isReachable();
  }

  report(webServiceId: string, report: Report): Promise<unknown> {
    return this.reports.record(webServiceId, report);
  }

  /** Starts a deployment, after deleting old artefacts if no other build runs. */
  async beginBuild(webServiceId: string, deploymentId: string, otherBuildsRun: boolean): Promise<void> {
    if (!otherBuildsRun) await this.scan.cleanUp();
    await this.report(webServiceId, { kind: 'begin-deployment', deploymentId });
  }

  build(state: WebService, deploymentId: string, untilMs: number): Task {
    return {
      key: deploymentId,
      run: async signal => {
        await this.scan.idle();
        await this.builds.run({ state, deploymentId, untilMs, signal });
      },
      giveUp: reason => this.report(state.id!, { kind: 'fail-deployment', deploymentId, reason }),
    };
  }

  beginRelease(state: WebService, releaseId: string): Task {
    return {
      key: releaseId,
      run: () => this.releases.begin(state, releaseId),
      giveUp: reason =>
        state.requested?.releaseId === releaseId
          ? this.report(state.id!, { kind: 'fail-release', releaseId, reason })
          : this.report(state.id!, { kind: 'fail-deployment', deploymentId: releaseId, reason }),
    };
  }

  roll(state: WebService, release: NonNullable<WebService['rolling']>, untilMs: number): Task {
    return {
      key: release.id,
      run: async signal => {
        await this.scan.idle();
        await this.releases.run({ state, release, untilMs, signal });
      },
      giveUp: reason => this.report(state.id!, { kind: 'fail-release', releaseId: release.id, reason }),
    };
  }

  remove(webServiceId: string): Task {
    return {
      key: 'remove',
      run: async () => {
        await this.scan.idle();
        await this.removals.run(webServiceId);
      },
      // The next reconciliation tries again.
      giveUp: async () => undefined,
    };
  }

  stop(webServiceId: string): Task {
    return {
      key: 'stop',
      run: async signal => {
        await this.scan.idle();
        await this.stops.run(webServiceId, signal);
      },
      giveUp: reason => this.report(webServiceId, { kind: 'fail-stop', reason: `it could not be stopped: ${reason}` }),
    };
  }
}
