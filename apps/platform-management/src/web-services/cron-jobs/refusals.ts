import { Refusal } from '@postern/contracts/refusal';

export const cronJobNotFound = (): Refusal =>
  new Refusal('cron_job_not_found', 'there is no such cron job of this web service');
