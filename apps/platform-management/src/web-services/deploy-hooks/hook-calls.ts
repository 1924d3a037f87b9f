import { Injectable } from '@nestjs/common';
import { matchesPatterns } from '@postern/runtime';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { GitHostKind } from '../commit-statuses/git-host.js';
import { type PreviewStep, Previews } from '../previews/previews.js';
import type { PullRequestEvent } from '../previews/pull-request-event.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { type CalledHook, type Decision, DeployHooks } from './deploy-hooks.js';
import { SAVE_GIT_HOST } from './deploy-hooks.sql.js';
import type { GitEvent } from './git-event.js';
import type { PushEvent } from './push-event.js';

export const MAX_CALLS_PER_MINUTE = 30;

/** A call whose signature is verified. `event` and `gitHost` are undefined without headers of a Git host. */
interface HookCall {
  /** Identifies the event; repeated deliveries of an event have the same one. */
  readonly digest: string;
  readonly event: GitEvent | undefined;
  readonly gitHost: GitHostKind | undefined;
}

interface Decided extends Decision {
  /** What to do after the call is recorded. */
  readonly carryOut?: () => Promise<unknown>;
}

/** Decides on the calls of deploy hooks, records them, and carries the decisions out. */
@Injectable()
export class HookCalls {
  constructor(
    private readonly hooks: DeployHooks,
    private readonly webServices: WebServiceRepository,
    private readonly previews: Previews,
  ) {}

  async receive(hook: CalledHook, { digest, event, gitHost }: HookCall): Promise<Decision | 'known' | 'too_many'> {
    const decide = async (client: pg.ClientBase) => {
      if (gitHost) await client.query(SAVE_GIT_HOST, [hook.id, gitHost]);
      return this.#decide(client, hook, event);
    };
    const decided = await this.hooks.add(hook.id, digest, MAX_CALLS_PER_MINUTE, decide);
    if (typeof decided === 'string') return decided;
    const { deploymentId, carryOut } = decided;
    if (carryOut && deploymentId !== null) await this.hooks.deploy(hook.id, deploymentId, carryOut);
    else await carryOut?.();
    return decided;
  }

  async #decide(client: pg.ClientBase, hook: CalledHook, event: GitEvent | undefined): Promise<Decided> {
    if (event?.kind === 'other') return ignored(event.reason);
    if (event?.kind === 'pull-request') {
      return this.#decidePreview(await this.previews.record(client, hook, event), hook, event);
    }
    const reason = event && ignoreReason(event, hook);
    if (reason !== undefined) return ignored(reason);
    if (event && !hook.autoDeploy) return recorded('the web service does not deploy on push');
    const deploymentId = uuidv7();
    const { webServiceId, userId } = hook;
    const command = { kind: 'request-deployment', userId, deploymentId, branch: undefined } as const;
    return deployed(deploymentId, () => this.webServices.execute(webServiceId, at => ({ ...command, at })));
  }

  #decidePreview(step: PreviewStep, { webServiceId, userId }: CalledHook, event: PullRequestEvent): Decided {
    if (step.kind === 'ignore') return ignored(step.reason);
    if (step.kind === 'none') return recorded(`pull request ${event.number} is closed; it had no preview`);
    const { previewId } = step;
    if (step.kind === 'delete') {
      return {
        ...recorded(`pull request ${event.number} is closed; its preview is deleted`),
        carryOut: () => this.previews.delete(previewId, userId),
      };
    }
    const deploymentId = uuidv7();
    return deployed(deploymentId, () => this.previews.deploy(webServiceId, previewId, deploymentId, event));
  }
}

const ignored = (reason: string): Decided => ({ outcome: 'ignored', reason, deploymentId: null });

const recorded = (reason: string): Decided => ({ outcome: 'recorded', reason, deploymentId: null });

const deployed = (deploymentId: string, carryOut: () => Promise<unknown>): Decided => ({
  ...{ outcome: 'deployed', reason: null, deploymentId },
  carryOut,
});

/** The reason to ignore a push; undefined if it is one to the deployed branch that changes a watched file. */
function ignoreReason(event: PushEvent, { branch, watchPaths, runsImage }: CalledHook): string | undefined {
  if (runsImage) return 'the web service runs an image, which a push does not change';
  const wanted = branch ?? event.defaultBranch;
  if (wanted !== undefined && !event.branches.includes(wanted))
    return `the push is to ${event.branches.join(', ').slice(0, 255)}, and ${wanted} is deployed`;
  const isWatched = (path: string) => matchesPatterns(watchPaths, path);
  if (watchPaths.length === 0 || event.paths === undefined || event.paths.some(isWatched)) return undefined;
  return 'the push changes no file that matches watch_paths';
}
