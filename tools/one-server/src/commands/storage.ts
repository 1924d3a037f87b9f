import { planOf } from '../applying/plan.js';
import { forecastText, size } from '../storage/forecast.js';
import { measureStorage } from '../storage/samples.js';

type Print = (line: string) => void;

/** `storage`: what takes how much, how it grows, and when the disk will be full. */
export const storage = async (print: Print): Promise<void> => {
  const { model } = await planOf();
  const { sample, freeBytes, forecast } = await measureStorage(model);
  for (const [part, bytes] of Object.entries(sample.bytes).sort(([, one], [, other]) => other - one))
    print(`${size(bytes).padStart(10)}  ${part}`);
  print(`${size(freeBytes).padStart(10)}  free`);
  print(forecastText(forecast, freeBytes));
};
