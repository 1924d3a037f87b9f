import { expect, it } from '@jest/globals';
import { refusedStatements, sqlFilesIn, statementsOf } from '@postern/testing';
import { freshStores } from '../testing/store-under-test.js';

const stores = freshStores();

it.each(sqlFilesIn(new URL('.', import.meta.url)))('The statements of $path fit the schema', async ({ url }) => {
  const database = await stores.fresh();
  await expect(refusedStatements(database.url, statementsOf(await import(url)))).resolves.toEqual([]);
});
