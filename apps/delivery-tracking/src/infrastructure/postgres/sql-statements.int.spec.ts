import { statementsFitTheSchema } from '@postern/testing/statements-suite';
import { migratedDatabase } from '../../testing/migrated-database.js';

statementsFitTheSchema(new URL('../../', import.meta.url), migratedDatabase);
