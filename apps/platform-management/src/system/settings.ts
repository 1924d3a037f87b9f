import { text } from '@postern/service-host/config';

/** Settings of the system page, spread into the service's configuration. */
export const systemSettings = {
  systemReportFile: text()
    .optional()
    .describe('File with what the hourly check of an installation on one server found. `postern` sets it.'),
};
