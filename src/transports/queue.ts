// A first-in, first-out queue. `Array.shift` moves all later items, which takes seconds with a hundred thousand items.

/** Items in order. */
export interface Queue<Item> {
  readonly length: number;
  add(item: Item): void;
  /** Removes and returns the oldest item. */
  take(): Item | undefined;
  /** Removes the items that do not pass. */
  keep(passes: (item: Item) => boolean): void;
}

/**
 * A class, because every connection has a queue that is nearly always empty: closures would take five times the memory.
 */
class Row<Item> implements Queue<Item> {
  #items: Item[] = [];
  /** Items before this index have been taken. */
  #next = 0;

  get length(): number {
    return this.#items.length - this.#next;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  take(): Item | undefined {
    const item = this.#items[this.#next];
    if (this.#next < this.#items.length) this.#next += 1;
    // At least half of the items are taken by then, so each item is moved once on average.
    if (this.#next * 2 >= this.#items.length) this.#trim();
    return item;
  }

  keep(passes: (item: Item) => boolean): void {
    this.#trim();
    this.#items = this.#items.filter(passes);
  }

  #trim(): void {
    this.#items = this.#items.slice(this.#next);
    this.#next = 0;
  }
}

/** An empty queue. */
export function createQueue<Item>(): Queue<Item> {
  return new Row();
}
