import { Injectable } from '@nestjs/common';
import { Backoff } from '@postern/messaging';
import { shownReason } from '@postern/outbound';
import { Database, Every, type TaskRun } from '@postern/service-host';
import pLimit from 'p-limit';
import { RepositoryCredentials } from '../repository-credentials/repository-credentials.js';
import { WebServiceUrls } from '../services/web-service-urls.js';
import {
  DELETE_OLD_STATUSES,
  FIND_UNREPORTED,
  SAVE_COMMENT,
  SAVE_FAILURE,
  SAVE_REPORTED,
} from './commit-statuses.sql.js';
import {
  type CommitState,
  type CommitStatus,
  commentIdIn,
  commentRequest,
  commentText,
  type GitHost,
  type GitHostKind,
  type GitToken,
  gitHostOf,
  isAccepted,
  isCommentGone,
  statusRequest,
} from './git-host.js';
import { GitHostClient } from './git-host-client.js';

interface Unreported {
  readonly deploymentId: string;
  readonly webServiceId: string;
  readonly name: string;
  /** The web service with the token: that of a preview is the one that it is a preview of. */
  readonly ownerId: string;
  readonly repositoryUrl: string;
  readonly gitHost: GitHostKind | null;
  readonly pullRequest: number | null;
  readonly commentId: string | null;
  readonly commit: string;
  readonly state: CommitState;
  readonly failures: number;
}

/** Delays between attempts; the last one repeats, until a day after the request of the deployment. */
const DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000] as const;
/** A host that does not answer must not delay the others for long. */
const CONCURRENT = 10;

/**
 * Reports the state of deployments to Git hosts, as commit status and as comment of the request of a preview. It compares the
 * deployments with what was reported, so a report survives a restart, and never delays a deployment.
 */
@Injectable()
export class ReportCommitStatuses {
  constructor(
    private readonly database: Database,
    private readonly credentials: RepositoryCredentials,
    private readonly urls: WebServiceUrls,
    private readonly client: GitHostClient,
  ) {}

  @Every(2_000, 'report commit statuses', { onOneReplica: true })
  async run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    const { rows } = await this.database.pool.query<Unreported>({ name: 'find-unreported', text: FIND_UNREPORTED });
    const limit = pLimit(CONCURRENT);
    await Promise.all(rows.map(row => limit(async () => (signal.aborted ? undefined : this.#report(row)))));
  }

  @Every(3_600_000, 'delete old commit statuses', { onOneReplica: true })
  async deleteOld(): Promise<void> {
    await this.database.pool.query(DELETE_OLD_STATUSES);
  }

  async #report(row: Unreported): Promise<void> {
    const { deploymentId, webServiceId, state, failures } = row;
    const { api } = await this.credentials.forDeployment(row.ownerId, row.repositoryUrl);
    const host = gitHostOf(row.repositoryUrl, row.gitHost ?? undefined);
    const error = host && api && (await this.#errorOf(host, api, row));
    if (error === undefined) {
      await this.database.pool.query(SAVE_REPORTED, [deploymentId, webServiceId, state]);
    } else {
      const delayMs = Backoff.delayAt(failures, DELAYS_MS);
      await this.database.pool.query(SAVE_FAILURE, [deploymentId, webServiceId, delayMs, error]);
    }
  }

  /** @returns why the host did not accept the report; undefined if it did. */
  async #errorOf(host: GitHost, token: GitToken, row: Unreported): Promise<string | undefined> {
    const { hostname } = new URL(host.apiUrl);
    try {
      const url = await this.urls.of({ id: row.webServiceId, name: row.name });
      const { commit, state, webServiceId } = row;
      const status = { commit, state, webServiceId, context: `postern/${row.name}`, url };
      const answer = await this.client.send(statusRequest(host, token, status));
      if (!isAccepted(host.kind, answer.status, answer.body))
        return reasonOf(`${hostname} answered the commit status with ${answer.status}`, answer.body, token);
      return await this.#comment(host, token, row, status);
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      return reasonOf(`${hostname} cannot be called`, JSON.stringify({ message }), token);
    }
  }

  /** Writes the comment of a preview, or edits it. One that cannot be edited is written again. */
  async #comment(host: GitHost, token: GitToken, row: Unreported, status: CommitStatus): Promise<string | undefined> {
    const { pullRequest, commentId } = row;
    if (pullRequest === null) return undefined;
    const text = commentText(row.name, status);
    const answer = await this.client.send(commentRequest(host, token, { pullRequest, commentId, text }));
    if (commentId !== null && isCommentGone(host.kind, answer.status))
      return this.#comment(host, token, { ...row, commentId: null }, status);
    if (answer.status < 200 || answer.status > 299)
      return reasonOf(
        `${new URL(host.apiUrl).hostname} answered the comment with ${answer.status}`,
        answer.body,
        token,
      );
    const id = commentIdIn(host.kind, parsed(answer.body));
    if (id !== undefined && id !== commentId) await this.database.pool.query(SAVE_COMMENT, [row.webServiceId, id]);
    return undefined;
  }
}

/** Adds the message of the host, which must not contain the token. */
const reasonOf = (what: string, body: string, { token }: GitToken): string => {
  const message = shownReason(messageIn(body), [token]);
  return message === '' ? what : `${what}: ${message}`;
};

/** Bitbucket Cloud has the message within `error`, and Data Center in a list. */
const messageIn = (body: string): string => {
  const { message, error, errors } = parsed(body);
  const nested = typeof error === 'object' ? error : Array.isArray(errors) ? (errors[0] as unknown) : undefined;
  const found = [message, error, (nested as { readonly message?: unknown } | null | undefined)?.message];
  return found.find(text => typeof text === 'string') ?? '';
};

interface Answer {
  readonly id?: unknown;
  readonly version?: unknown;
  readonly message?: unknown;
  readonly error?: unknown;
  readonly errors?: unknown;
}

const parsed = (body: string): Answer => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
};
