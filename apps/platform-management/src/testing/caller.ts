import { v7 as uuidv7 } from 'uuid';

/** A user in a workspace, as the gateway sends them. */
export interface Caller {
  readonly user_id: string;
  readonly workspace_id: string;
}

/** A web service with a caller who reaches it: the fields of most requests. */
export interface WebServiceOf extends Caller {
  readonly web_service_id: string;
}

/** Returns only the fields of the caller. */
export const callerOf = ({ user_id, workspace_id }: Caller): Caller => ({ user_id, workspace_id });

/** Returns a caller who reaches nothing yet. */
export const newCaller = (): Caller => ({ user_id: uuidv7(), workspace_id: uuidv7() });
