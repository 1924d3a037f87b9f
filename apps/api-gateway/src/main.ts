import { runService } from '@postern/service-host';
import { apiGateway } from './api-gateway.module.js';

await runService(apiGateway);
