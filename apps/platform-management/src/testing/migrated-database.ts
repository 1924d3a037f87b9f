import { databasesOf } from '@postern/service-host/testing';

/** The migrations of this service, and an empty database with them applied. */
export const { migrations, migratedDatabase } = databasesOf('platform-management');
