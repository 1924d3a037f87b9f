import { flag } from '@postern/service-host/config';

/** Settings of the reports to Git hosts, spread into the service's configuration. */
export const commitStatusSettings = {
  gitAllowPrivate: flag()
    .default(false)
    .describe('Sends commit statuses also to Git hosts at private addresses and over plain HTTP; for tests only.'),
};
