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

/** A class, for every connection has one and it is nearly always empty: as closures it would weigh five times as much. */
class Row<Item> implements Queue<Item> {
  #items: Item[] = [];
  /** Everything before this was taken. */
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
    // Half of the items at least are gone by then, so each is moved once on average.
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
