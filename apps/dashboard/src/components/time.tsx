import { useEffect, useState } from 'preact/hooks';
import { formatExactTime, formatRelativeTime, formatTime, NO_VALUE } from '../formatting.js';

interface TimeProps {
  readonly at: string | null;
  /** Shows the absolute time instead of the relative time. */
  readonly exact?: boolean;
}

const TICK_MS = 30_000;

/** A relative time, with the exact time and its zone as a tooltip. */
export const Time = ({ at, exact = false }: TimeProps) => {
  const now = useNow(!exact && at !== null);
  if (at === null) return <span>{NO_VALUE}</span>;
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {(!exact && formatRelativeTime(at, now)) || formatTime(at)}
    </time>
  );
};

const useNow = (ticks: boolean): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!ticks) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [ticks]);
  return now;
};
