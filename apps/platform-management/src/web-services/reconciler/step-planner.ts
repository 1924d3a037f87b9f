import { Injectable } from '@nestjs/common';
import type { WebService } from '../services/aggregate/state.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { nextSteps, type Step, type UnderWay } from './next-steps.js';
import { ReconcilerSettings } from './ports.js';

export interface Plan {
  readonly state: WebService;
  readonly steps: readonly Step[];
}

/** Plans the next steps of a web service from its current state. */
@Injectable()
export class StepPlanner {
  constructor(
    private readonly repository: WebServiceRepository,
    private readonly settings: ReconcilerSettings,
  ) {}

  async plan(webServiceId: string, underWay: UnderWay): Promise<Plan> {
    const state = await this.repository.stateOf(webServiceId);
    return { state, steps: nextSteps(state, underWay, Date.now(), this.settings.deadlines) };
  }
}
