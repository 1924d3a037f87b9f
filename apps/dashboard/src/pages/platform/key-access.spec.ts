import { describe, expect, it } from '@jest/globals';
import { accessOf, keyRequest, OPERATIONS, operationName } from './key-access.js';

const PROJECTS = [
  { id: 'p1', name: 'Shop' },
  { id: 'p2', name: 'Blog' },
];

describe('the form for a platform key', () => {
  it('sends the projects and operations that are chosen', () =>
    expect(
      keyRequest({
        name: 'CI',
        scope: 'write',
        expires_at: '',
        'project p1': 'on',
        'operation deployments:write': 'on',
      }),
    ).toEqual({ scope: 'write', projects: ['p1'], operations: ['deployments:write'] }));

  it('sends no restriction if nothing is chosen', () =>
    expect(keyRequest({ name: 'CI', scope: 'read', expires_at: '' })).toEqual({ scope: 'read' }));

  it('offers reading and writing of every resource, in words', () => {
    expect(OPERATIONS).toContain('logs-and-metrics:read');
    expect(new Set(OPERATIONS.map(operationName)).size).toBe(OPERATIONS.length);
    expect(operationName('web-services:write')).toBe('Web services: write');
  });
});

describe('the access of a key', () => {
  it.each([
    [{}, 'All projects; all operations'],
    [{ projects: null, operations: null }, 'All projects; all operations'],
    [{ projects: ['p2', 'p1'] }, 'Blog, Shop; all operations'],
    [{ projects: ['p1', 'gone'] }, 'Shop, 1 other project; all operations'],
    [{ operations: ['deployments:write' as const] }, 'All projects; Deployments: write'],
  ])('%j is shown as “%s”', (key, words) =>
    expect(accessOf(key as Parameters<typeof accessOf>[0], PROJECTS)).toBe(words),
  );
});
