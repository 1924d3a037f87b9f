import type { ScheduledEmail, ScheduledEmailOfService } from '@postern/contracts';

/** A scheduled message as the email API returns it. */
export const publicShape = ({ id, send_at, state, email_id, error }: ScheduledEmailOfService): ScheduledEmail => ({
  id,
  send_at,
  state,
  ...(email_id === undefined ? {} : { email_id }),
  ...(error === undefined ? {} : { error }),
});
