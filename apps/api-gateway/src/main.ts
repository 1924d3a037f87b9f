import { runService } from '@postern/service-host';
import { ApiGatewayModule } from './api-gateway.module.js';
import { gatewayConfig } from './config.js';

await runService({ name: 'api-gateway', config: gatewayConfig, module: ApiGatewayModule });
