import { statementsFitTheSchema } from '@postern/testing/statements-suite';
import { migrate } from '../testing/store-under-test.js';

statementsFitTheSchema(new URL('.', import.meta.url), postgres => postgres.createCopy(migrate));
