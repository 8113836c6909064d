// Measures how late the event loop is. The figure says whether one session keeps the others waiting.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Time between two samples, ms. Each sample is a wake-up of the process. */
const resolutionMs = 20;

/** Reads the delays since the last call, s, by quantile. */
export type LoopDelay = () => ReadonlyMap<string, number>;

/** Starts to measure. Does not keep the process alive. */
export function measureLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  return () => {
    // Without a sample since the last call, the histogram says NaN or its initial maximum.
    const isEmpty = Number.isNaN(histogram.mean);
    const delayOf = (percentile: number) =>
      isEmpty ? 0 : Math.max(0, histogram.percentile(percentile) / 1e9 - resolutionMs / 1000);
    const delays = new Map([
      ['0.5', delayOf(50)],
      ['0.99', delayOf(99)],
      ['1', delayOf(100)],
    ]);
    histogram.reset();
    return delays;
  };
}
