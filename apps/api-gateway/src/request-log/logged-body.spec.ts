import { describe, expect, it } from '@jest/globals';
import { loggedBody } from './logged-body.js';

const logged = (body: unknown): unknown => JSON.parse(loggedBody(body) ?? 'null');

describe('the logged body of a request', () => {
  it('shows who sent what to whom, and not what a message says', () => {
    const body = {
      from: 'Shop <orders@example.com>',
      to: ['ada@example.net'],
      subject: 'Your receipt',
      text: 'Dear Ada',
      message: '<p>Dear Ada</p>',
      tags: { order: '17' },
      attachments: [{ filename: 'receipt.pdf', content: 'aGVsbG8=' }],
    };
    expect(logged(body)).toEqual({
      ...body,
      text: '[8 characters]',
      message: '[15 characters]',
      attachments: [{ filename: 'receipt.pdf', content: '[8 characters]' }],
    });
  });

  it('shows the names of variables and secrets, and never their values', () => {
    expect(logged({ key: 'DATABASE_URL', value: 'postgres://secret', is_secret: true })).toEqual({
      key: 'DATABASE_URL',
      value: '[17 characters]',
      is_secret: true,
    });
    expect(logged({ variables: [{ key: 'A', value: 'hunter2' }] })).toEqual({
      variables: [{ key: 'A', value: '[7 characters]' }],
    });
    expect(logged({ template: { name: 'receipt', variables: { code: '123456' } } })).toEqual({
      template: { name: 'receipt', variables: '[1 fields]' },
    });
    expect(JSON.stringify(logged({ secrets: [{ key: 'A', value: ['hunter2'] }], Token: 'hunter2' }))).not.toContain(
      'hunter2',
    );
  });

  it('shows addresses without the passwords in them', () =>
    expect(logged({ git_repository_url: 'https://ada:hunter2@git.example.com/shop', git_token: 'hunter2' })).toEqual({
      git_repository_url: 'https://[…]@git.example.com/shop',
      git_token: '[7 characters]',
    }));

  it('shows a value of a wrong type, which is often the mistake', () =>
    expect(logged({ text: 5, to: 'ada@example.net' })).toEqual({ text: 5, to: 'ada@example.net' }));

  it('is short', () => {
    const [subject] = [logged({ subject: 'x'.repeat(5_000) })] as [{ subject: string }];
    expect(subject.subject).toHaveLength(301);
    expect((logged(Array(60).fill(1)) as unknown[]).at(-1)).toBe('[10 more]');
    expect(loggedBody(Array(50).fill({ a: 'x'.repeat(300) }))).toBeUndefined();
    expect(logged({ a: { b: { c: { d: { e: { f: { g: 1 } } } } } } })).toEqual({
      a: { b: { c: { d: { e: { f: '[…]' } } } } },
    });
  });
});
