// A value as a finding quotes it.

/** As JSON, cut where it is long. */
export const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200);
