import { describe, expect, it } from '@jest/globals';
import type { WebService } from '@postern/contracts';
import { changesOf, textOf } from './settings.js';

describe('the changes of a settings form', () => {
  it('have numbers as numbers, and null for an empty optional field', () =>
    expect(changesOf({ port: '3000', branch: '', name: 'shop', processes: 'worker=2', 'disk.size_mib': '64' })).toEqual(
      {
        port: 3000,
        branch: null,
        name: 'shop',
        processes: { worker: 2 },
        disk: { size_mib: 64 },
      },
    ));

  it('put the fields of the health check into one setting, which is reset without any', () => {
    const form = {
      'health_check.host': 'shop.example.com',
      'health_check.grace_seconds': '60',
      'health_check.threshold': '',
    };
    expect(changesOf({ ...form, first_byte_timeout_seconds: '90' })).toEqual({
      health_check: { host: 'shop.example.com', grace_seconds: 60 },
      first_byte_timeout_seconds: 90,
    });
    expect(changesOf({ 'health_check.host': '' })).toEqual({ health_check: null });
  });

  it('put the targets of the number of instances into one setting', () =>
    expect(changesOf({ min_instances: '1', 'autoscaling.cpu_percent': '', 'autoscaling.idle_minutes': '15' })).toEqual({
      min_instances: 1,
      autoscaling: { idle_minutes: 15 },
    }));

  it('have one build argument per line', () => {
    expect(changesOf({ build_args: ' NODE_VERSION=24\n\nURL=https://x.example/?a=b\r\nEMPTY=\n' })).toEqual({
      build_args: { NODE_VERSION: '24', URL: 'https://x.example/?a=b', EMPTY: '' },
    });
    expect(changesOf({ build_args: '', docker_target: '' })).toEqual({ build_args: {}, docker_target: null });
  });

  it('put memory and CPU into the size of an instance', () =>
    expect(changesOf({ 'instance.memory_mib': '1024', 'instance.cpu_millicores': '500', drain_seconds: '60' })).toEqual(
      {
        instance: { memory_mib: 1024, cpu_millicores: 500 },
        drain_seconds: 60,
      },
    ));

  it('return to the defaults when the fields are empty', () =>
    expect(changesOf({ 'instance.memory_mib': '', 'instance.cpu_millicores': '', drain_seconds: '' })).toEqual({
      instance: null,
      drain_seconds: null,
    }));

  it('pass an incomplete size to the API, which refuses it, and keep other settings', () => {
    expect(changesOf({ 'instance.memory_mib': '1024', 'instance.cpu_millicores': '' })).toEqual({
      instance: { memory_mib: 1024 },
    });
    expect(changesOf({ min_instances: '1' })).toEqual({ min_instances: 1 });
  });

  it('keep a required text that is empty, which the API refuses, and reset other texts', () =>
    expect(changesOf({ name: '', build_command: '', watch_paths: ' web/**  !*.md ' })).toEqual({
      name: '',
      build_command: null,
      watch_paths: ['web/**', '!*.md'],
    }));
});

describe('a stored setting', () => {
  const service = {
    branch: null,
    port: 3000,
    watch_paths: ['web/**', '!*.md'],
    processes: { worker: 2 },
    build_args: { NODE_VERSION: '24' },
    health_check: { threshold: 5 },
    disk: null,
  } as unknown as WebService;

  it.each([
    ['branch', ''],
    ['port', '3000'],
    ['watch_paths', 'web/** !*.md'],
    ['processes', 'worker=2'],
    ['build_args', 'NODE_VERSION=24'],
    ['health_check.threshold', '5'],
    ['health_check.host', ''],
    ['disk.size_mib', ''],
    ['autoscaling.idle_minutes', ''],
  ] as const)('%s is the text %j of its field', (name, text) => expect(textOf(service, name)).toBe(text));
});
