import { expect, it } from '@jest/globals';
import { deletedWith } from './deleted-with.js';

const CREDENTIALS = {
  deploy_key: { public_key: 'ssh-ed25519 AAAA', created_at: '2026-03-09T10:00:00.000Z', host_keys: [] },
  git_token: { username: 'git', host: 'git.example.com', created_at: '2026-03-09T10:00:00.000Z' },
  registry: { username: 'git', host: 'ghcr.io', created_at: '2026-03-09T10:00:00.000Z' },
} as unknown as Parameters<typeof deletedWith>[1]['credentials'];

it('lists all resources of a web service', () =>
  expect(
    deletedWith(
      { url: 'https://shop.example.com', disk: { size_mib: 64 } },
      {
        deployments: 3,
        variables: 1,
        domains: ['shop.example', 'www.shop.example'],
        cronJobs: 2,
        credentials: CREDENTIALS,
      },
    ),
  ).toEqual([
    'its address https://shop.example.com',
    '2 custom domains: shop.example, www.shop.example',
    '3 deployments with their builds',
    '1 variable',
    '2 cron jobs with their runs',
    'its deploy key: remove the public key from the repository as well',
    'its access token for the repository: revoke it at the Git host as well',
    'its registry credentials: revoke them at the registry as well',
    'its deploy hook, if there is one',
    'its attachments to databases; the databases are kept',
    'its running instances and commands, logs, metrics and build cache',
    'its disk with all files and backups',
  ]));

it('omits resources that a web service does not have', () =>
  expect(deletedWith({ url: null, disk: null }, { credentials: { deploy_key: null, git_token: null } })).toEqual([
    '0 deployments with their builds',
    '0 variables',
    'its deploy hook, if there is one',
    'its attachments to databases; the databases are kept',
    'its running instances and commands, logs, metrics and build cache',
  ]));

it('names one deployment and one cron job in the singular', () => {
  const goes = deletedWith({ url: null, disk: null }, { deployments: 1, cronJobs: 1 });
  expect(goes).toEqual(expect.arrayContaining(['1 deployment with its build', '1 cron job with its runs']));
});
