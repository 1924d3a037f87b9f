import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { DatabasesModule } from './databases/databases.module.js';
import { LoadBalancerHealth } from './infrastructure/load-balancer-health.js';
import { OrderRegistry } from './orders/order-registry.js';
import { OrdersModule } from './orders/orders.module.js';
import { DetachableRuntime, RuntimesModule } from './runtimes.module.js';
import { WebServicesModule } from './web-services/web-services.module.js';

/** Carries out the control plane's orders on this machine or in the cluster. */
@Module({
  imports: [RuntimesModule, OrdersModule, WebServicesModule, DatabasesModule],
  providers: [LoadBalancerHealth],
})
export class RuntimeAgentModule implements OnApplicationShutdown {
  constructor(
    private readonly orders: OrderRegistry,
    private readonly runtime: DetachableRuntime,
  ) {}

  /** Cancels the orders in progress; web services and databases keep running. */
  async onApplicationShutdown(): Promise<void> {
    await this.orders.stop();
    await this.runtime.detach();
  }
}
