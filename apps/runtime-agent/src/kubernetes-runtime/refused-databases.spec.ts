import { expect, it } from '@jest/globals';
import { RefusedDatabases } from './refused-databases.js';

it('databases on Kubernetes are refused with an alternative, and removals succeed', async () => {
  const databases = new RefusedDatabases();
  expect(await databases.missingFor()).toMatch(/not available on Kubernetes: run one with an operator/);
  await expect(databases.reserve()).rejects.toThrow('not available on Kubernetes');
  await expect(databases.ensure()).rejects.toThrow('not available on Kubernetes');
  expect(await databases.enableExtension()).toMatch(/not available on Kubernetes/);
  expect(await databases.externalHostFor()).toEqual({ refusal: expect.stringMatching(/not available on Kubernetes/) });
  await databases.remove();
  await databases.retain();
});
