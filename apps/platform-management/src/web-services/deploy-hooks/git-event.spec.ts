import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isBareCall, isSigned, readEvent } from './git-event.js';

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
    ['Bitbucket Cloud', { 'x-event-key': 'repo:push', 'x-hub-signature': `sha256=${hmac(body)}` }],
    ['Bitbucket Data Center', { 'x-event-key': 'repo:refs_changed', 'x-hub-signature': `sha256=${hmac(body)}` }],
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
    expect(isSigned({ 'x-event-key': 'repo:push' }, body, SECRET)).toBe(false);
    const sha1 = createHmac('sha1', SECRET).update(body).digest('hex');
    expect(isSigned({ 'x-github-event': 'push', 'x-hub-signature': `sha1=${sha1}` }, body, SECRET)).toBe(false);
    expect(isSigned({}, body, SECRET)).toBe(false);
  });
});

describe('an event', () => {
  const read = (value: object, name = 'push') =>
    readEvent({ 'x-github-event': name }, 'application/json', Buffer.from(JSON.stringify(value)));

  it('is a push to a branch', () =>
    expect(read(push)).toMatchObject({ kind: 'push', branches: ['main'], defaultBranch: 'main' }));

  it('of GitLab names the default branch in its project', () =>
    expect(
      readEvent(
        { 'x-gitlab-event': 'Push Hook' },
        'application/json',
        Buffer.from(JSON.stringify({ ref: 'refs/heads/a/b', project: { default_branch: 'trunk' } })),
      ),
    ).toMatchObject({ kind: 'push', branches: ['a/b'], defaultBranch: 'trunk' }));

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

describe('a push at Bitbucket', () => {
  const read = (key: string, value: object) =>
    readEvent({ 'x-event-key': key }, 'application/json', Buffer.from(JSON.stringify(value)));
  const cloud = (...changes: readonly unknown[]) => read('repo:push', { push: { changes } });
  const dataCenter = (changes: readonly unknown[], more = {}) => read('repo:refs_changed', { changes, ...more });
  const target = (message: string) => ({ type: 'commit', hash: 'a'.repeat(40), message });
  const toBranch = (name: string, message = 'Add a cart\n') => ({
    old: { type: 'branch', name, target: target('Begin') },
    new: { type: 'branch', name, target: target(message) },
    ...{ created: false, closed: false, forced: false, truncated: false, commits: [target(message)] },
  });
  const ref = (name: string, type = 'UPDATE', kind = 'heads') => ({
    ref: { id: `refs/${kind}/${name}`, displayId: name, type: kind === 'heads' ? 'BRANCH' : 'TAG' },
    ...{ refId: `refs/${kind}/${name}`, fromHash: 'b'.repeat(40), toHash: 'a'.repeat(40), type },
  });
  const tag = { old: null, new: { type: 'tag', name: 'v1', target: target('x') }, created: true, closed: false };
  const deleted = { old: { type: 'branch', name: 'main' }, new: null, created: false, closed: true };

  it.each([
    ['Cloud', cloud(toBranch('main'), tag, toBranch('a/b'), deleted)],
    ['Data Center', dataCenter([ref('main'), ref('v1', 'ADD', 'tags'), ref('a/b', 'ADD'), ref('old', 'DELETE')])],
  ])('%s lists several branches in one event, and no files', (_, event) =>
    expect(event).toEqual({ kind: 'push', branches: ['main', 'a/b'], defaultBranch: undefined, paths: undefined }),
  );

  it.each([
    ['of a tag', cloud(tag), 'the push is not to a branch'],
    ['of a tag at Data Center', dataCenter([ref('v1', 'ADD', 'tags')]), 'the push is not to a branch'],
    ['that deletes a branch', cloud(deleted), 'the push deletes the branch'],
    ['that deletes a branch at Data Center', dataCenter([ref('main', 'DELETE')]), 'the push deletes the branch'],
    ['without changes', cloud(), 'the push is not to a branch'],
    ['of an unknown form', cloud(null, 7, { new: 'main' }), 'the push is not to a branch'],
    ['with a marker', cloud(toBranch('main', 'x [skip ci]')), 'the message of the newest commit contains [skip ci]'],
    [
      'with a marker at Data Center',
      dataCenter([ref('main')], { toCommit: { id: 'a'.repeat(40), message: 'x [ci skip]' } }),
      'the message of the newest commit contains [ci skip]',
    ],
  ])('%s is ignored', (_, event, reason) => expect(event).toEqual({ kind: 'other', reason }));

  it('deploys only branches without a marker', () => {
    expect(cloud(toBranch('main', '[skip ci]'), toBranch('docs'))).toMatchObject({ branches: ['docs'] });
    const other = { toCommit: { id: 'c'.repeat(40), message: '[skip ci]' } };
    expect(dataCenter([ref('main')], other)).toMatchObject({ branches: ['main'] });
  });

  it.each([{}, { push: null }, { push: { changes: 'main' } }, { changes: {} }])('%j is refused', payload =>
    expect(() => read('repo:push', payload)).toThrow(SyntaxError),
  );
});
