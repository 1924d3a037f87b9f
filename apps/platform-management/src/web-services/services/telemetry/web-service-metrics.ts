import { Injectable } from '@nestjs/common';
import { Metrics, ServiceLog } from '@postern/service-host';
import { type Outcome, outcomesIn, STAGES, type Stage } from '../aggregate/deployment-outcomes.js';
import type { WebServiceEvent } from '../aggregate/events.js';
import type { WebService } from '../aggregate/state.js';
import { type InstanceReading } from '../ports.js';
import { newRestarts, type RestartReading } from './new-restarts.js';

/** Bucket boundaries, from rollbacks of a few seconds to builds that reach their deadline. */
const SECONDS = [1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600];

const EVERY_OUTCOME: readonly [Outcome, Stage | undefined][] = [
  ['live', 'releasing'],
  ...STAGES.map((stage): [Outcome, Stage] => ['failed', stage]),
  ...STAGES.map((stage): [Outcome, Stage] => ['cancelled', stage]),
  ['superseded', 'queued'],
  ['rolled_back', undefined],
];

/**
 * Counts and times deployments by the events that this process commits, so that each outcome is counted once over all
 * replicas. The leader also exports the number of instances.
 */
@Injectable()
export class WebServiceMetrics {
  readonly #outcomes;
  readonly #durations;
  readonly #builds;
  readonly #restarts;
  #instances = { answering: 0, silent: 0 };
  #lastReadings: readonly RestartReading[] = [];

  constructor(
    metrics: Metrics,
    private readonly log: ServiceLog,
  ) {
    const deployments = metrics.meter('postern.deployments');
    const advice = { explicitBucketBoundaries: SECONDS };
    this.#outcomes = deployments.createCounter('postern.deployments.outcomes', {
      unit: '{deployment}',
      description: 'Finished deployments and rollbacks, by outcome and stage',
    });
    this.#durations = deployments.createHistogram('postern.deployments.duration', {
      unit: 's',
      advice,
      description: 'Time from the request of a deployment until it was live or failed',
    });
    this.#builds = deployments.createHistogram('postern.deployments.build.duration', {
      unit: 's',
      advice,
      description: 'Time of a build, including the fetch',
    });
    const services = metrics.meter('postern.web_services');
    this.#restarts = services.createCounter('postern.web_services.instance.restarts', {
      unit: '{restart}',
      description: 'Instances restarted after a failure',
    });
    services
      .createObservableGauge('postern.web_services.instances', {
        unit: '{instance}',
        description: 'Instances of live releases, as last observed by the leader',
      })
      .addCallback(observed => {
        for (const [state, count] of Object.entries(this.#instances)) observed.observe(count, { state });
      });
    // Prometheus detects no increase in a counter whose first sample is 1.
    for (const [outcome, stage] of EVERY_OUTCOME) this.#outcomes.add(0, labels(outcome, stage));
    this.#restarts.add(0);
  }

  /** Called once for committed events, in the process that appended them. */
  eventsCommitted(before: WebService, events: readonly WebServiceEvent[]): void {
    const { deployments, builds } = outcomesIn(before, events);
    for (const { outcome, stage, kind, seconds } of deployments) {
      this.#outcomes.add(1, labels(outcome, stage));
      if (outcome === 'live' || outcome === 'failed') this.#durations.record(seconds, { outcome, kind });
    }
    for (const { result, seconds } of builds) {
      if (result !== 'cancelled') this.#builds.record(seconds, { result });
    }
  }

  /** Called by the leader with all serving web services, and with an empty list when it stops leading. */
  instancesRead(readings: readonly InstanceReading[]): void {
    const found = readings.flatMap(({ webServiceId, status }) => (status ? { webServiceId, ...status } : []));
    const answering = found.reduce((sum, { healthy }) => sum + healthy, 0);
    this.#instances = { answering, silent: found.reduce((sum, { instances }) => sum + instances, 0) - answering };
    for (const [webServiceId, restarts] of newRestarts(this.#lastReadings, found)) {
      this.#restarts.add(restarts);
      // The metric has no label for the web service, so the log names it.
      this.log.warn({ webServiceId, restarts }, 'Instances of a web service were restarted');
    }
    this.#lastReadings = found;
  }
}

const labels = (outcome: Outcome, stage: Stage | undefined) => (stage === undefined ? { outcome } : { outcome, stage });
