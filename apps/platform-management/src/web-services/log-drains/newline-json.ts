import type { DrainedLine, DrainedService } from './drained-line.js';

/** One JSON object for each line, with the fields that docs/platform/log-drains.md lists. */
export const newlineJson = (lines: readonly DrainedLine[], { webServiceId, name }: DrainedService): string =>
  lines
    .map(({ id, timestamp, instance, stream, message, deploymentId }) =>
      JSON.stringify({
        id: `${webServiceId}/${id}`,
        timestamp: timestamp.toISOString(),
        message,
        stream,
        instance,
        web_service_id: webServiceId,
        web_service_name: name,
        deployment_id: deploymentId ?? null,
      }),
    )
    .join('\n')
    .concat('\n');
