import { text } from '@postern/service-host/config';

/** What an operator configures about databases on this machine. */
export const localDatabasesSettings = {
  platformPostgresBin: text()
    .optional()
    .describe('Folder with initdb and postgres, for provisioned databases; searched on the machine if not set.'),
  platformValkeyBin: text()
    .optional()
    .describe('valkey-server or redis-server, or its folder, for key-value stores; searched on PATH if not set.'),
};
