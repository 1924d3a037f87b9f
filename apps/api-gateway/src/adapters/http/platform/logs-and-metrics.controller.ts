import { Controller, Get, Param, Query } from '@nestjs/common';
import { getLogs, getMetrics, getMetricsHistory } from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { Acting, type ActingUser } from '../acting-user.js';
import { id, wholeNumber } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { HISTORY, LOGS, METRICS } from './examples.js';

const END_OF_2099_S = 4_102_444_800;

const logsQuery = z.strictObject({
  tail: wholeNumber(1, 10_000).default(100).describe('How many lines, counted from the end.'),
  since: wholeNumber(0, END_OF_2099_S).optional().describe('Seconds since 1970; only lines at or after it.'),
});
const historyQuery = z.strictObject({
  period: wholeNumber(60, 604_800).default(3600).describe('Seconds back from now.'),
});

@Controller('api/v1/web-services/:web_service_id')
export class LogsAndMetricsController {
  constructor(private readonly services: Services) {}

  @Get('logs')
  @Answers(getLogs, 'The last lines of its log, oldest first', { examples: { reply: LOGS } })
  logs(
    @Acting() user: ActingUser,
    @Param('web_service_id', { schema: id }) web_service_id: string,
    @Query({ schema: logsQuery }) query: z.output<typeof logsQuery>,
  ) {
    return this.services.ask(getLogs, { user_id: user.userId, web_service_id, ...query }, user);
  }

  @Get('metrics')
  @Answers(getMetrics, 'What its instances use now', { examples: { reply: METRICS } })
  metrics(@Acting() user: ActingUser, @Param('web_service_id', { schema: id }) web_service_id: string) {
    return this.services.ask(getMetrics, { user_id: user.userId, web_service_id }, user);
  }

  @Get('metrics/history')
  @Answers(getMetricsHistory, 'What its instances used, at most 300 points, oldest first', {
    examples: { reply: HISTORY },
  })
  history(
    @Acting() user: ActingUser,
    @Param('web_service_id', { schema: id }) web_service_id: string,
    @Query({ schema: historyQuery }) query: z.output<typeof historyQuery>,
  ) {
    return this.services.ask(getMetricsHistory, { user_id: user.userId, web_service_id, ...query }, user);
  }
}
