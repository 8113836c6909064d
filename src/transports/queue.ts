// First in, first out. `Array.shift` moves all that follow, which for a hundred thousand items takes seconds.

/** Items in order. */
export interface Queue<Item> {
  readonly length: number;
  add(item: Item): void;
  /** The oldest item, taken out. */
  take(): Item | undefined;
  /** Leaves only those that pass. */
  keep(passes: (item: Item) => boolean): void;
}

export function createQueue<Item>(): Queue<Item> {
  let items: Item[] = [];
  /** Everything before this was taken. */
  let next = 0;

  function trim(): void {
    items = items.slice(next);
    next = 0;
  }

  return {
    get length() {
      return items.length - next;
    },
    add(item) {
      items.push(item);
    },
    take() {
      const item = items[next];
      if (next < items.length) next += 1;
      // Half of the items at least are gone by then, so each is moved once on average.
      if (next * 2 >= items.length) trim();
      return item;
    },
    keep(passes) {
      trim();
      items = items.filter(passes);
    },
  };
}
