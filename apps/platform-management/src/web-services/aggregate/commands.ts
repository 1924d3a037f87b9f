import type { CreatedData } from './events.js';

interface At {
  readonly at: string;
}
/** Asked by an owner: what belongs to somebody else does not exist for them. */
interface ByOwner extends At {
  readonly userId: string;
}
interface ByOperator extends At {
  readonly actorId: string;
}

export type OwnersCommand =
  | (ByOwner & {
      readonly kind: 'request-deployment';
      readonly deploymentId: string;
      readonly branch: string | undefined;
    })
  | (ByOwner & {
      readonly kind: 'request-rollback';
      readonly deploymentId: string;
      readonly rollbackOf: string;
      /** How many once-live deployments still have their artefacts. */
      readonly retained: number;
    })
  | (ByOwner & { readonly kind: 'cancel-deployment'; readonly deploymentId: string })
  | (ByOwner & { readonly kind: 'start' | 'restart'; readonly releaseId: string })
  | (ByOwner & { readonly kind: 'stop' });

export type OperatorsCommand =
  | (ByOperator & { readonly kind: 'block' | 'suspend'; readonly reason: string })
  | (ByOperator & { readonly kind: 'unblock' | 'resume'; readonly reason: string | undefined });

/** By the clock, in nobody's name: ends a suspension that the platform made, and no other. */
export type PlatformsCommand = At & {
  readonly kind: 'lift-suspension';
  readonly reason: string;
  /** Of the start of what the suspension had stopped. */
  readonly releaseId: string;
};

/** What the driver reports. A report that comes too late, from a leader that no longer leads, changes nothing. */
export type DriversCommand =
  | (At & { readonly kind: 'begin-deployment'; readonly deploymentId: string })
  | (At & {
      readonly kind: 'resolve-source';
      readonly deploymentId: string;
      readonly branch: string;
      readonly commit: string;
    })
  | (At & {
      readonly kind: 'finish-build';
      readonly deploymentId: string;
      readonly artefact: string;
      readonly commit: string;
    })
  | (At & { readonly kind: 'fail-deployment'; readonly deploymentId: string; readonly reason: string })
  | (At & { readonly kind: 'end-cancelled'; readonly deploymentId: string })
  | (At & { readonly kind: 'begin-release'; readonly releaseId: string })
  | (At & { readonly kind: 'finish-release'; readonly releaseId: string })
  | (At & { readonly kind: 'fail-release'; readonly releaseId: string; readonly reason: string })
  | (At & { readonly kind: 'abandon-release'; readonly releaseId: string })
  | (At & { readonly kind: 'finish-stop' })
  | (At & { readonly kind: 'fail-stop'; readonly reason: string })
  | (At & { readonly kind: 'report-unanswering'; readonly releaseId: string; readonly reason: string })
  | (At & { readonly kind: 'report-answering'; readonly releaseId: string });

export type CreateCommand = { readonly kind: 'create' } & CreatedData;

export type WebServiceCommand = CreateCommand | OwnersCommand | OperatorsCommand | PlatformsCommand | DriversCommand;
