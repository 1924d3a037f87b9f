import { Injectable } from '@nestjs/common';
import { INSTANCE_MEMORY_MIB } from '@postern/contracts';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { WorkspaceUsage } from '../../accounts/quotas/workspace-usage.js';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { ProjectOwners } from '../../projects/ports.js';
import { refuseFlagged, webServiceNotFound } from '../services/aggregate/refusals.js';
import type { WebService } from '../services/aggregate/state.js';
import { webServiceStream } from '../services/aggregate/web-service.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { previewOf } from './preview-of.js';
import { afterEvent, type PullRequest } from './pull-request.js';
import type { PullRequestEvent } from './pull-request-event.js';
import { FIND_NEWEST_COMMIT, FIND_PULL_REQUEST, LOCK_PULL_REQUEST, SAVE_PULL_REQUEST } from './pull-requests.sql.js';

/** The web service that gets previews, with the settings that determine the outcome of an event. */
export interface PreviewedService {
  readonly webServiceId: string;
  /** Null for the default branch. */
  readonly branch: string | null;
  readonly previews: boolean;
}

/** What an event of a request does to its preview. */
export type PreviewStep =
  | { readonly kind: 'ignore'; readonly reason: string }
  | { readonly kind: 'deploy' | 'delete'; readonly previewId: string }
  | { readonly kind: 'none' };

interface PullRequestRow {
  readonly isOpen: boolean;
  readonly changedAt: Date | null;
  readonly previewId: string | null;
}

/** Creates, deploys and deletes the previews of web services for events of pull and merge requests. */
@Injectable()
export class Previews {
  constructor(
    private readonly webServices: WebServiceRepository,
    private readonly projects: ProjectOwners,
    private readonly usage: WorkspaceUsage,
  ) {}

  /** Records an event in the transaction of the caller, and returns what to do after it. */
  async record(client: pg.ClientBase, service: PreviewedService, event: PullRequestEvent): Promise<PreviewStep> {
    const key = [service.webServiceId, event.number];
    await client.query(LOCK_PULL_REQUEST, key);
    const { rows } = await client.query<PullRequestRow>(FIND_PULL_REQUEST, key);
    const [row] = rows;
    const reason = ignoreReason(service, event, row);
    if (reason !== undefined) return { kind: 'ignore', reason };
    const next = afterEvent(row && { ...row, changedAt: row.changedAt ?? undefined }, event);
    if ('ignored' in next)
      return { kind: 'ignore', reason: `the event of pull request ${event.number} is late: ${next.ignored}` };
    const previewId = next.isOpen ? await this.#previewId(client, row) : (row?.previewId ?? null);
    await this.#save(client, key, next, previewId);
    if (previewId === null) return { kind: 'none' };
    if (next.isOpen && (await this.#isDeployed(client, previewId, event)))
      return { kind: 'ignore', reason: `pull request ${event.number} has no new commits` };
    return { kind: next.isOpen ? 'deploy' : 'delete', previewId };
  }

  /** Creates the preview if it does not exist, and requests a deployment of the newest commit of its branch. */
  async deploy(webServiceId: string, previewId: string, deploymentId: string, event: PullRequestEvent): Promise<void> {
    const original = await this.webServices.stateOf(webServiceId);
    if (original.id === undefined || original.deleting || original.deleted) throw webServiceNotFound();
    refuseFlagged(original);
    const preview = await this.webServices.stateOf(previewId);
    if (preview.id === undefined) await this.#create(original, previewId, event);
    await this.webServices.execute(previewId, at => ({
      kind: 'request-deployment',
      userId: original.userId!,
      deploymentId,
      branch: event.headBranch,
      at,
    }));
  }

  /** `userId` is the creator of the web service that the preview is of. */
  async delete(previewId: string, userId: string): Promise<void> {
    await this.webServices.deleteIfPresent(previewId, userId);
  }

  /** A request that was opened again after its preview was deleted gets another one. */
  async #previewId(client: pg.ClientBase, row: PullRequestRow | undefined): Promise<string> {
    const known = row?.previewId ?? undefined;
    return known === undefined || (await isDeleted(client, webServiceStream(known))) ? uuidv7() : known;
  }

  async #isDeployed(client: pg.ClientBase, previewId: string, { headCommit }: PullRequestEvent): Promise<boolean> {
    if (headCommit === undefined) return false;
    const { rows } = await client.query<{ commit: string | null }>(FIND_NEWEST_COMMIT, [previewId]);
    return rows[0]?.commit?.startsWith(headCommit) ?? false;
  }

  async #save(
    client: pg.ClientBase,
    key: readonly unknown[],
    { isOpen, changedAt }: PullRequest,
    previewId: string | null,
  ): Promise<void> {
    await client.query(SAVE_PULL_REQUEST, [...key, isOpen, changedAt ?? null, previewId]);
  }

  async #create(original: WebService, previewId: string, event: PullRequestEvent): Promise<void> {
    const owner = await this.projects.ownerOf(original.projectId!);
    if (!owner) throw webServiceNotFound();
    const created = previewOf(original, previewId, event, new Date().toISOString());
    const limit = this.usage.limitOf(owner.workspaceId, {
      web_services: 1,
      instances: 1,
      memory_mib: created.instance?.memory_mib ?? INSTANCE_MEMORY_MIB,
    });
    await this.webServices.create(limit, created);
  }
}

/** A closed request is recorded whatever it was about, so that a late event does not create its preview. */
function ignoreReason(
  { branch, previews }: PreviewedService,
  { action, number, isFork, baseBranch, defaultBranch }: PullRequestEvent,
  row: PullRequestRow | undefined,
): string | undefined {
  if (action === 'close') return previews || row ? undefined : 'the web service has no previews';
  if (!previews) return 'the web service has no previews';
  if (isFork) {
    return `pull request ${number} is from another repository; its code gets no preview, because it would get the secrets of the project`;
  }
  const wanted = branch ?? defaultBranch;
  if (wanted === undefined || baseBranch === wanted) return undefined;
  return `pull request ${number} is into ${baseBranch.slice(0, 255)}, and ${wanted} is deployed`;
}
