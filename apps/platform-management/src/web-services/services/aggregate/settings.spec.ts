import { describe, it } from '@jest/globals';
import { specificationOf } from '@postern/event-sourcing/testing';
import { begin } from '../../../testing/release-commands.js';
import {
  abandoned,
  at,
  begun,
  built,
  cancelled,
  cancelling,
  changed,
  created,
  deleted,
  deletionRequested,
  deployed,
  releaseBegun,
  requested,
  rollbackRequested,
  served,
  startRequested,
  stopped,
  stopRequested,
  superseded,
} from '../../../testing/web-service-history.js';
import { PLATFORM, type ReleaseData, type Settings, type WebServiceEvent } from './events.js';
import { webService } from './web-service.js';

const given = specificationOf(webService);
const running = [created, ...deployed('d1')];
const change = (changes: Partial<Settings>) => ({ kind: 'change', userId: 'ada', changes, at }) as const;
const remove = { kind: 'delete', userId: 'ada', at } as const;

/** The release of a rollback. */
const releaseOf = (id: string, origin: string): WebServiceEvent => {
  const of = releaseBegun(id, 'running', { kind: 'start', of: origin });
  return { ...of, data: { ...of.data, kind: 'deployment', deployment_id: id } } as WebServiceEvent;
};

describe('changing settings', () => {
  it('records only the settings that differ', () => {
    given(created)
      .when(change({ name: 'Shop', port: 8080, branch: null }))
      .yields(changed({ port: 8080, branch: null }));
    given(created, changed({ port: 8080 }))
      .when(change({ port: 8080 }))
      .yields();
  });

  it('treats an absent setting as its default, and ignores the order of process types', () => {
    given(created)
      .when(change({ release_command: null, instance: null }))
      .yields();
    given(created, changed({ processes: { a: 1, b: 2 } }))
      .when(change({ processes: { b: 2, a: 1 } }))
      .yields();
  });

  it('gives previews to a web service, but not to a preview', () => {
    const preview = { web_service_id: 'shop', pull_request: 7, url: null };
    const createdPreview = { ...created, data: { ...created.data, preview } } as WebServiceEvent;
    given(created)
      .when(change({ previews: true }))
      .yields(changed({ previews: true }));
    given(createdPreview)
      .when(change({ previews: true }))
      .refuses('invalid_input', 'previews: a preview cannot have previews of its own');
    given(createdPreview)
      .when(change({ port: 8080 }))
      .yields(changed({ port: 8080 }));
  });

  it('requires max_instances to be at least min_instances', () => {
    given(created)
      .when(change({ min_instances: 3 }))
      .refuses('invalid_input', 'max_instances: must not be below min_instances');
    given(created, changed({ max_instances: 3 }))
      .when(change({ min_instances: 3 }))
      .yields(changed({ min_instances: 3 }));
  });

  it('requires a single instance for a web service with a disk', () => {
    const disk = { size_mib: 512 };
    given(created, changed({ max_instances: 3 }))
      .when(change({ disk }))
      .refuses('invalid_input', 'max_instances: a web service with a disk runs one instance; it must be 1');
    given(created, changed({ disk, max_instances: 1 }))
      .when(change({ max_instances: 2 }))
      .refuses('invalid_input', 'max_instances: a web service with a disk runs one instance; it must be 1');
    given(created, changed({ max_instances: 3 }))
      .when(change({ disk, max_instances: 1 }))
      .yields(changed({ disk, max_instances: 1 }));
    given(created, changed({ disk, max_instances: 1 }))
      .when(change({ disk: null, max_instances: 2 }))
      .yields(changed({ disk: null, max_instances: 2 }));
  });

  it('allows a disk to grow, but not to shrink', () => {
    given(created, changed({ disk: { size_mib: 512 }, max_instances: 1 }))
      .when(change({ disk: { size_mib: 1024 } }))
      .yields(changed({ disk: { size_mib: 1024 } }));
    given(created, changed({ disk: { size_mib: 512 }, max_instances: 1 }))
      .when(change({ disk: { size_mib: 256 } }))
      .refuses('invalid_input', 'disk.size_mib: must not be below 512; a disk can only grow');
  });

  it('does not allow a disk that a release had to shrink, even after it was detached', () => {
    const disk = { size_mib: 512 };
    const detached = changed({ disk: null });
    const refusal = 'disk.size_mib: must not be below 512; a disk can only grow';
    const oneInstance = changed({ max_instances: 1 });
    const restarted = releaseBegun('r1', 'restarting', { kind: 'restart', of: 'd1', settings: { disk } });
    given(
      created,
      changed({ disk, max_instances: 1 }),
      releaseBegun('d1', 'starting', { settings: { disk } }),
      detached,
    )
      .when(change({ disk: { size_mib: 256 } }))
      .refuses('invalid_input', refusal);
    given(...running, oneInstance, restarted, served('r1'), ...deployed('d2', 'd1'))
      .when(change({ disk: { size_mib: 256 } }))
      .refuses('invalid_input', refusal);
    given(...running, oneInstance, restarted)
      .when(change({ disk }))
      .yields(changed({ disk }));
    const reduced = changed({ disk: { size_mib: 256 } });
    given(...running, oneInstance, restarted, reduced)
      .when(change({ disk: { size_mib: 256 }, port: 1 }))
      .yields(changed({ port: 1 }));
    given(created, changed({ disk, max_instances: 1 }), detached)
      .when(change({ disk: { size_mib: 256 } }))
      .yields(changed({ disk: { size_mib: 256 } }));
  });

  it('is refused for other users', () =>
    given(created)
      .when({ ...change({ port: 1 }), userId: 'mallory' })
      .refuses('web_service_not_found'));

  it('applies to the next start, and not to the serving release', () =>
    given(...running, changed({ start_command: 'node new.js' }), startRequested('r1'))
      .when(begin('r1'))
      .yields(releaseBegun('r1', 'starting', { kind: 'start', of: 'd1', settings: { start_command: 'node new.js' } })));

  it('keeps the current disk for a rollback', () => {
    const event = releaseOf('d3', 'd1');
    const data = event.data as ReleaseData;
    given(
      ...running,
      changed({ disk: { size_mib: 512 }, port: 1 }),
      ...deployed('d2'),
      rollbackRequested('d3', 'd1'),
      begun('d3', 'releasing'),
    )
      .when(begin('d3'))
      .yields({
        ...event,
        data: { ...data, settings: { ...data.settings!, disk: { size_mib: 512 } } },
      } as WebServiceEvent);
  });

  it('does not apply to a rollback, which uses the settings of the earlier release', () =>
    given(
      ...running,
      changed({ start_command: 'node new.js' }),
      ...deployed('d2'),
      rollbackRequested('d3', 'd1'),
      begun('d3', 'releasing'),
    )
      .when(begin('d3'))
      .yields(releaseOf('d3', 'd1')));
});

describe('deleting', () => {
  it('cancels deployments and leaves the rest to the reconciler', () =>
    given(...running, requested('d2'), begun('d2'), requested('d3'))
      .when(remove)
      .yields(cancelling('d2', 'stop'), cancelled('d3', 'stop'), deletionRequested));

  it('is possible for a web service in every state', () => {
    given(created).when(remove).yields(deletionRequested);
    given(...running, stopRequested(), stopped())
      .when(remove)
      .yields(deletionRequested);
  });

  it('hides the web service immediately', () => {
    given(created, deletionRequested).when(remove).refuses('web_service_not_found');
    given(created, deletionRequested)
      .when(change({ port: 1 }))
      .refuses('web_service_not_found');
    given(created, deletionRequested)
      .when({ kind: 'block', actorId: 'operator', reason: 'phishing', at })
      .refuses('web_service_not_found');
    given(created, deletionRequested, deleted).when(remove).refuses('web_service_not_found');
  });

  it('ignores a suspension by the platform', () => {
    given(...running, deletionRequested)
      .when({ kind: 'suspend', actorId: PLATFORM, reason: 'bandwidth', at })
      .yields();
    given(...running, deletionRequested, deleted)
      .when({ kind: 'end-suspension', reason: 'a new month', releaseId: 'r1', at })
      .yields();
  });

  it('starts no more releases', () =>
    given(...running, startRequested('r1'), deletionRequested)
      .when(begin('r1'))
      .yields());

  it('ends once, after the removal', () => {
    const finish = { kind: 'finish-removal', at } as const;
    given(...running, deletionRequested)
      .when(finish)
      .yields(deleted);
    given(...running, deletionRequested, deleted)
      .when(finish)
      .yields();
    given(...running)
      .when(finish)
      .yields();
  });
});

describe('a release with a waiting successor', () => {
  const releasing = [...running, requested('d2'), begun('d2'), built('d2'), releaseBegun('d2', 'running')];
  const abandon = { kind: 'abandon-release', releaseId: 'd2', at } as const;

  it('is superseded by a deployment or a rollback when it is abandoned', () => {
    given(...releasing, requested('d3'))
      .when(abandon)
      .yields(abandoned('d2', 'running'), superseded('d2', 'd3'));
    given(...releasing, rollbackRequested('d3', 'd1'))
      .when(abandon)
      .yields(abandoned('d2', 'running'), superseded('d2', 'd3'));
  });

  it('is cancelled if its owner requested the cancellation first', () =>
    given(...releasing, cancelling('d2'), requested('d3'))
      .when(abandon)
      .yields(abandoned('d2', 'running'), cancelled('d2')));
});
