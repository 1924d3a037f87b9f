import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LoadBalancerClient } from '@postern/load-balancer-client';
import { CONFIG, Metrics } from '@postern/service-host';
import type { RuntimeAgentConfig } from '../config.js';

/** Exposes whether the load balancer of this machine answers: it has no metrics itself. In a cluster there is none. */
@Injectable()
export class LoadBalancerHealth implements OnModuleInit {
  constructor(
    @Inject(CONFIG) private readonly config: RuntimeAgentConfig,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    if (this.config.platformRuntime === 'kubernetes') return;
    const balancer = new LoadBalancerClient(this.config.platformHome);
    const description = 'Whether the load balancer of web services answers';
    this.metrics
      .meter('postern.load_balancer')
      .createObservableGauge('postern.load_balancer.up', { description })
      .addCallback(async result => {
        const isUp = await balancer.readTraffic(0).then(
          () => true,
          () => false,
        );
        result.observe(isUp ? 1 : 0);
      });
  }
}
