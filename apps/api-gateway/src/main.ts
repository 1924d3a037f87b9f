import { runService } from '@postern/service-host';
import { ApiGatewayModule } from './api-gateway.module.js';
import { config } from './config.js';

await runService({ name: 'api-gateway', config, module: ApiGatewayModule });
