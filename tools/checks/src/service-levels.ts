import type { Service, ServiceLevel } from '../../setup/services.mjs';

const MARKER = '  # Written by `node tools/checks/services.mjs` from the slo in apps/*/service.json.\n';

/**
 * Windows of the Site Reliability Workbook (chapter 5): a long one, a short one that ends the alert soon, and how many times too
 * fast the errors of 30 days are spent.
 */
const FAST = [
  { long: '1h', short: '5m', factor: 14.4 },
  { long: '6h', short: '30m', factor: 6 },
];
const SLOW = [
  { long: '1d', short: '2h', factor: 3 },
  { long: '3d', short: '6h', factor: 1 },
];

const ALERTS = [
  { alert: 'PosternErrorBudgetFast', severity: 'page', windows: FAST, during: 'the last hours' },
  { alert: 'PosternErrorBudgetSlow', severity: 'ticket', windows: SLOW, during: 'the last days' },
];

const ratio = ({ bad, total }: ServiceLevel, window: string): string =>
  `${bad.replaceAll('[window]', `[${window}]`)} / ${total.replaceAll('[window]', `[${window}]`)}`;

/** Without rounding errors of binary fractions. */
const decimal = (value: number): string => String(Number(value.toFixed(9)));

const conditionOf = (slo: ServiceLevel, { long, short, factor }: (typeof FAST)[number]): string => {
  const limit = decimal((factor * (100 - slo.objective)) / 100);
  return `(${ratio(slo, long)} > ${limit}\n              and ${ratio(slo, short)} > ${limit})`;
};

const alertOf = (
  name: string,
  team: string,
  slo: ServiceLevel,
  { alert, severity, windows, during }: (typeof ALERTS)[number],
) => `
      - alert: ${alert}
        expr: |
          ${windows.map(window => conditionOf(slo, window)).join('\n            or ')}
        labels: { severity: ${severity}, service: ${name}, team: ${team} }
        annotations:
          summary: "${name} failed in {{ $value | humanizePercentage }} of cases in ${during}; its objective is ${slo.objective}%"
          runbook_url: https://postern.example.com/docs/runbooks#${alert.toLowerCase()}
          dashboard_url: https://grafana.example.com/d/postern-services?var-service=${name}`;

/** The alert rules of the objectives of services. */
const groupOf = (services: readonly Service[]): string => {
  const rules = ALERTS.flatMap(alert =>
    services.flatMap(({ name, owner, slo }) => (slo ? [alertOf(name, owner, slo, alert)] : [])),
  );
  return `${MARKER}  - name: postern-objectives\n    rules:${rules.join('')}\n`;
};

/** The alerts by hand, followed by those of the objectives. */
export const withServiceLevels = (alerts: string, services: readonly Service[]): string => {
  const [byHand = ''] = alerts.split(MARKER);
  return `${byHand.trimEnd()}\n\n${groupOf(services)}`;
};
