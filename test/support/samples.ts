// Reads Prometheus text: the samples of one metric.

/** The values by their labels as they are written, `a="1",b="2"`; '' without labels. */
export function samplesOf(text: string, metric: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/u.exec(line) ?? [];
    if (name === metric) samples.set(labels, Number(value));
  }
  return samples;
}
