import { describe, expect, it } from '@jest/globals';
import {
  changeWorkspace,
  createApiKey,
  createDatabase,
  createEmailService,
  createPlatformKey,
  createProject,
  createWebService,
  createWorkspace,
} from './index.js';
import { resourceName } from './shapes.js';

describe('the name of a resource', () => {
  it.each(['shop', ' Größe 2 – “prod” ', 'متجر', '👩‍💻 team', 'a.b/c:d'])('can be %j', name =>
    expect(resourceName.parse(name)).toBe(name.trim()),
  );

  it.each([
    'a\nlevel=error FAKE',
    'a\r\nb',
    'a\tb',
    'a\u0000b',
    'a\u001b[31mb',
    'a\u0085b',
    'a\u2028b',
    'a\u202Etxt.exe',
    'a\u2066b',
    'a\ud800b',
    '',
    ' ',
    'x'.repeat(101),
  ])('cannot be %j', name => expect(resourceName.safeParse(name).success).toBe(false));

  it.each([
    createWebService,
    createProject,
    createDatabase,
    createPlatformKey,
    createApiKey,
    createEmailService,
    createWorkspace,
    changeWorkspace,
  ])('is checked by $name', ({ request }) => {
    const issues = request.safeParse({ name: 'a\nb' }).error?.issues ?? [];
    expect(issues.filter(({ path }) => path[0] === 'name')).toMatchObject([
      { message: expect.stringContaining('line breaks') },
    ]);
  });
});
