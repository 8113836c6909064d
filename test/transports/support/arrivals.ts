// Collects what arrives and lets a test wait for it, so that no test sleeps.

/** Items in order of arrival. */
export interface Arrivals<Item> {
  readonly items: readonly Item[];
  add(item: Item): void;
  /** Resolves with the first `count` items once they are there. */
  first(count: number): Promise<readonly Item[]>;
}

export function createArrivals<Item>(): Arrivals<Item> {
  const items: Item[] = [];
  let waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  return {
    items,
    add(item) {
      items.push(item);
      const ready = waiters.filter(({ count }) => count <= items.length);
      waiters = waiters.filter(({ count }) => count > items.length);
      for (const { resolve } of ready) resolve();
    },
    async first(count) {
      if (items.length < count) await new Promise<void>((resolve) => waiters.push({ count, resolve }));
      return items.slice(0, count);
    },
  };
}
