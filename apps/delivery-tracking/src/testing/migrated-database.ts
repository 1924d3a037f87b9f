import { databasesOf } from '@postern/service-host/testing';

/** The migrations of this service, and a database of it without content. */
export const { migrations, migratedDatabase } = databasesOf('delivery-tracking');
