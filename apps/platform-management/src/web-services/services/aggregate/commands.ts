import type { CommitDescription, CreatedData, Settings, Upload } from './events.js';

interface At {
  readonly at: string;
}
/** Sent by the owner; for other users the web service does not exist. */
interface ByOwner extends At {
  readonly userId: string;
}
interface ByOperator extends At {
  readonly actorId: string;
}

export type OwnerCommand =
  | (ByOwner & {
      readonly kind: 'request-deployment';
      readonly deploymentId: string;
      readonly branch: string | undefined;
      readonly clearCache?: boolean | undefined;
      /** An archive instead of a commit: a new one, or that of an earlier deployment. */
      readonly upload?: Upload | undefined;
      readonly uploadOf?: string | undefined;
    })
  | (ByOwner & {
      readonly kind: 'request-rollback';
      readonly deploymentId: string;
      readonly rollbackOf: string;
      /** Number of previously live deployments whose artefacts are retained. */
      readonly retained: number;
    })
  | (ByOwner & { readonly kind: 'cancel-deployment'; readonly deploymentId: string })
  | (ByOwner & { readonly kind: 'start' | 'restart'; readonly releaseId: string })
  | (ByOwner & { readonly kind: 'stop' })
  | (ByOwner & { readonly kind: 'delete' })
  | (ByOwner & { readonly kind: 'change'; readonly changes: Partial<Settings> });

export type OperatorCommand =
  | (ByOperator & { readonly kind: 'block' | 'suspend'; readonly reason: string })
  | (ByOperator & { readonly kind: 'unblock' | 'resume'; readonly reason: string | undefined });

/** Sent by timers. `releaseId` is the id of the release that they may request. */
export type PlatformCommand =
  /** Ends a suspension by the platform, but not one by an operator. */
  | (At & { readonly kind: 'end-suspension'; readonly reason: string; readonly releaseId: string })
  /** The credentials of an attached database have changed. */
  | (At & { readonly kind: 'renew-credentials'; readonly releaseId: string });

/** Reports of the reconciler. A late report of a previous leader has no effect. */
export type ReconcilerCommand =
  | (At & { readonly kind: 'begin-deployment'; readonly deploymentId: string })
  | (At & {
      readonly kind: 'resolve-source';
      readonly deploymentId: string;
      readonly branch: string | null;
      readonly commit: string;
    })
  | (At & {
      readonly kind: 'finish-build';
      readonly deploymentId: string;
      readonly artefact: string;
      readonly commit: string;
      readonly description?: CommitDescription | undefined;
      readonly port?: number | undefined;
    })
  | (At & {
      readonly kind: 'fail-deployment';
      readonly deploymentId: string;
      readonly reason: string;
      readonly description?: CommitDescription | undefined;
    })
  | (At & { readonly kind: 'end-cancelled'; readonly deploymentId: string })
  | (At & { readonly kind: 'begin-release'; readonly releaseId: string })
  | (At & { readonly kind: 'finish-release'; readonly releaseId: string })
  | (At & { readonly kind: 'fail-release'; readonly releaseId: string; readonly reason: string })
  | (At & { readonly kind: 'abandon-release'; readonly releaseId: string })
  | (At & { readonly kind: 'finish-stop' })
  | (At & { readonly kind: 'finish-removal' })
  | (At & { readonly kind: 'fail-stop'; readonly reason: string })
  | (At & { readonly kind: 'report-unanswering'; readonly releaseId: string; readonly reason: string })
  | (At & { readonly kind: 'report-answering'; readonly releaseId: string });

export type CreateCommand = { readonly kind: 'create' } & CreatedData;

export type ChangeCommand = Extract<OwnerCommand, { kind: 'change' }>;

export type WebServiceCommand = CreateCommand | OwnerCommand | OperatorCommand | PlatformCommand | ReconcilerCommand;
