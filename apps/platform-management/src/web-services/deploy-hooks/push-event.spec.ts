import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isBareCall, isSigned, readEvent } from './push-event.js';

const SECRET = 'a secret';
const push = { ref: 'refs/heads/main', after: 'a'.repeat(40), repository: { default_branch: 'main' } };
const body = Buffer.from(JSON.stringify(push));
const hmac = (bytes: Buffer, secret = SECRET) => createHmac('sha256', secret).update(bytes).digest('hex');

describe('a signature', () => {
  it.each([
    ['GitHub', { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${hmac(body)}` }],
    ['GitLab', { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': SECRET }],
    ['Gitea', { 'x-gitea-event': 'push', 'x-gitea-signature': hmac(body) }],
    ['Forgejo', { 'x-forgejo-event': 'push', 'x-forgejo-signature': hmac(body) }],
  ])('of %s is checked against the secret and the body', (_, headers) => {
    expect(isBareCall(headers)).toBe(false);
    expect(isSigned(headers, body, SECRET)).toBe(true);
    expect(isSigned(headers, body, 'another secret')).toBe(false);
  });

  it('of another body, another secret or in another form is refused', () => {
    expect(isSigned({ 'x-hub-signature-256': `sha256=${hmac(Buffer.from('{}'))}` }, body, SECRET)).toBe(false);
    expect(isSigned({ 'x-hub-signature-256': `sha256=${hmac(body, 'x')}` }, body, SECRET)).toBe(false);
    expect(isSigned({ 'x-hub-signature-256': hmac(body) }, body, SECRET)).toBe(false);
    expect(isSigned({ 'x-gitlab-token': '' }, body, SECRET)).toBe(false);
    expect(isSigned({ 'x-github-event': 'push' }, body, SECRET)).toBe(false);
    expect(isSigned({}, body, SECRET)).toBe(false);
  });
});

describe('an event', () => {
  const read = (value: object, name = 'push') =>
    readEvent({ 'x-github-event': name }, 'application/json', Buffer.from(JSON.stringify(value)));

  it('is a push to a branch', () =>
    expect(read(push)).toMatchObject({ kind: 'push', branch: 'main', defaultBranch: 'main' }));

  it('of GitLab names the default branch in its project', () =>
    expect(
      readEvent(
        { 'x-gitlab-event': 'Push Hook' },
        'application/json',
        Buffer.from(JSON.stringify({ ref: 'refs/heads/a/b', project: { default_branch: 'trunk' } })),
      ),
    ).toMatchObject({ kind: 'push', branch: 'a/b', defaultBranch: 'trunk' }));

  it('can be in a form field', () => {
    const form = Buffer.from(new URLSearchParams({ payload: JSON.stringify(push) }).toString());
    expect(readEvent({ 'x-github-event': 'push' }, 'application/x-www-form-urlencoded', form)).toMatchObject({
      kind: 'push',
    });
  });

  it.each([
    ['of another kind', {}, 'ping', 'the event ping is neither a push nor a pull request'],
    ['of a tag', { ref: 'refs/tags/v1' }, 'push', 'the push is not to a branch'],
    ['that deletes a branch', { ref: 'refs/heads/main', deleted: true }, 'push', 'the push deletes the branch'],
    [
      'that deletes a branch on GitLab',
      { ref: 'refs/heads/main', after: '0'.repeat(40) },
      'push',
      'the push deletes the branch',
    ],
    ['without a ref', { ref: 7 }, 'push', 'the push is not to a branch'],
  ])('%s is not a push to a branch', (_, value, name, reason) =>
    expect(read(value, name)).toEqual({ kind: 'other', reason }),
  );

  it.each([
    ['GitHub', { head_commit: { message: 'Fix a typo [skip ci]' } }, '[skip ci]'],
    ['Gitea', { head_commit: { message: '[CI SKIP] Format' }, commits: [] }, '[ci skip]'],
    ['GitLab', { commits: [{ id: 'older' }, { id: 'a'.repeat(40), message: 'x\n\n[skip deploy]' }] }, '[skip deploy]'],
  ])('of %s is ignored if the message of its newest commit says so', (_, commits, marker) =>
    expect(read({ ...push, ...commits })).toEqual({
      kind: 'other',
      reason: `the message of the newest commit contains ${marker}`,
    }),
  );

  it.each([
    [{ head_commit: { message: 'Explain skip ci' } }],
    [{ commits: [{ message: 'Older [skip ci]' }, { id: 'a'.repeat(40), message: 'Newest' }] }],
    [{ head_commit: null, commits: [null, 7] }],
    [{ head_commit: { message: 7 }, commits: 'none' }],
  ])('with %j is a push', commits => expect(read({ ...push, ...commits })).toMatchObject({ kind: 'push' }));

  const commits = [
    { added: ['a'], removed: ['b'], modified: [] },
    { added: [], removed: [], modified: ['a', 'ü/c'] },
  ];

  it('lists the files that its commits change', () =>
    expect(read({ ...push, before: 'b'.repeat(40), commits })).toMatchObject({ paths: ['a', 'b', 'ü/c'] }));

  it.each([
    ['is forced', { forced: true }],
    ['is the first one of a branch', { created: true }],
    ['is the first one of a branch at GitLab', { before: '0'.repeat(40) }],
    ['has more commits than it lists, at GitLab', { total_commits_count: 3 }],
    ['has more commits than it lists, at Gitea', { total_commits: 30 }],
    ['has no commits', { commits: [] }],
    ['lists no files', { commits: [{ id: 'x' }] }],
    ['is of an unknown form', { commits: [null] }],
  ])('that %s may change other files as well', (_, changes) =>
    expect(read({ ...push, before: 'b'.repeat(40), commits, ...changes })).toMatchObject({ paths: undefined }),
  );

  it.each(['', 'null', '7', '{'])('with the body %j is refused', text =>
    expect(() => readEvent({ 'x-github-event': 'push' }, 'application/json', Buffer.from(text))).toThrow(SyntaxError),
  );
});
