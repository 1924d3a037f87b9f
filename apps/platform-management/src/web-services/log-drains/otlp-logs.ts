import type { LogStream } from '@postern/runtime';
import type { DrainedLine, DrainedService } from './drained-line.js';

/** Numbers of the OpenTelemetry log data model: INFO and ERROR. */
const SEVERITIES: Readonly<Record<LogStream, readonly [number: number, text: string]>> = {
  stdout: [9, 'INFO'],
  stderr: [17, 'ERROR'],
  build: [9, 'INFO'],
  platform: [9, 'INFO'],
};

const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });

/**
 * An ExportLogsServiceRequest in the JSON encoding of OTLP, with a resource for each instance and deployment. Records of a
 * resource are in the order of the log.
 */
export const otlpLogs = (lines: readonly DrainedLine[], { webServiceId, name }: DrainedService): string => {
  const resources = Map.groupBy(lines, ({ instance, deploymentId }) => `${instance} ${deploymentId}`);
  return JSON.stringify({
    resourceLogs: [...resources.values()].map(ofResource => ({
      resource: {
        attributes: [
          attribute('service.name', name),
          attribute('service.instance.id', ofResource[0]!.instance),
          attribute('postern.web_service.id', webServiceId),
          ...(ofResource[0]!.deploymentId === undefined
            ? []
            : [attribute('postern.deployment.id', ofResource[0]!.deploymentId)]),
        ],
      },
      scopeLogs: [{ scope: { name: 'postern' }, logRecords: ofResource.map(line => recordOf(line, webServiceId)) }],
    })),
  });
};

const recordOf = ({ id, timestamp, stream, message }: DrainedLine, webServiceId: string) => {
  const [severityNumber, severityText] = SEVERITIES[stream];
  const nanoseconds = `${timestamp.getTime()}000000`;
  return {
    timeUnixNano: nanoseconds,
    observedTimeUnixNano: nanoseconds,
    severityNumber,
    severityText,
    body: { stringValue: message },
    attributes: [attribute('log.record.uid', `${webServiceId}/${id}`), attribute('log.iostream', stream)],
  };
};
