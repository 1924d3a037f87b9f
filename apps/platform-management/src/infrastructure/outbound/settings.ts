import { flag } from '@postern/service-host/config';

/** Settings of connections to addresses that users choose, spread into the service's configuration. */
export const outboundSettings = {
  webhooksAllowPrivate: flag()
    .default(false)
    .describe(
      'Allows log drains and notifications to private addresses and over plain HTTP; for local development and tests only.',
    ),
};
